/** Pages get their headings as names, modules what one imports, and links to the sources the public address. */
import { readFileSync } from "node:fs"
import { posix } from "node:path"
import { Comment, CommentTag, Converter } from "typedoc"
import { address, entries, pagesInOrder, root } from "./contents.mjs"

const headingOf = (text) => /^# (.+)\n/.exec(text)?.[1]

const pages = new Map(
  pagesInOrder.map(({ path, group }) => {
    const heading = headingOf(readFileSync(`${root}/${path}`, "utf8"))
    if (heading === undefined) throw new Error(`${path} has no heading in its first line`)
    return [heading, { path, group }]
  }),
)

/** What a page links to that is no page and no picture: there is nothing of it in the site. */
const isSource = (link) => !/\.(md|svg|png)$/.test(link.split("#", 1)[0]) || link.endsWith("CHANGELOG.md")

const withPublicLinks = (parts, folder) =>
  parts.map((part) => {
    if (part.kind !== "relative-link" || !isSource(part.text)) return part
    const kind = /\.\w+$/.test(part.text) ? "blob" : "tree"
    return { kind: "text", text: `${address}/${kind}/main/${posix.join(folder, part.text)}` }
  })

/** Code in a heading is text: TypeDoc leaves code out of the heading's anchor, GitHub does not. */
const withPlainHeadings = (parts) => {
  let line = ""
  return parts.map((part) => {
    const isHeading = part.kind === "code" && /^#+ /.test(line)
    line = part.text.includes("\n") ? part.text.slice(part.text.lastIndexOf("\n") + 1) : line + part.text
    return isHeading ? { kind: "text", text: part.text.replace(/^`+|`+$/g, "") } : part
  })
}

const renamePage = (document) => {
  const [first] = document.content
  const heading = first?.kind === "text" ? headingOf(first.text) : undefined
  const page = pages.get(heading)
  if (page === undefined) throw new Error(`The page ${document.name} is not among the contents`)
  document.name = heading
  document.frontmatter.group = page.group
  document.content = withPlainHeadings(withPublicLinks(document.content, posix.dirname(page.path)))
}

export const load = (app) => {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const document of project.documents ?? []) renamePage(document)
    project.readme = withPublicLinks(project.readme, ".")
    // The page has the package's name as its title already.
    project.readme[0].text = project.readme[0].text.replace(/^# .+\n/, "")
    for (const [index, module] of (project.children ?? []).entries()) {
      // In the order of the entry points.
      module.name = entries[index].import
      module.comment ??= new Comment()
      module.comment.blockTags.push(new CommentTag("@group", [{ kind: "text", text: "API" }]))
    }
  })
}
