/** The page's frame, which gets its content later. */

const references: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** A text within HTML. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (char) => references[char]!)

/** Three steps, the last of them still to come. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 17 17"><rect y="2" width="7" height="3" fill="#7d8894"/><rect x="5" y="7" width="7" height="3" fill="#3fa796"/><rect x="10" y="12" width="7" height="3" fill="#b7770d"/></svg>`

/** A page whose script and style have relative URLs. */
export const pageHtml = (title: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="page.css">
<link rel="icon" href="icon.svg" type="image/svg+xml">
<script type="module" src="page.js"></script>
</head>
<body><div id="page"></div><noscript>This page needs JavaScript.</noscript></body>
</html>
`
