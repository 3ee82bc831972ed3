/**
 * What is evaluated inside a page to read it: copies what can be seen into a document of its own, finds the article in
 * that (Readability), and writes it as Markdown (Turndown). It is text, because the browser compiles it, not we: a
 * function's own text would change with every tool that transpiles it.
 */
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"

/** What the script answers. */
export interface ExtractedPage {
  readonly title: string
  /** Its start, where it is longer than what was asked for. */
  readonly markdown: string
  /** Of the whole Markdown, in UTF-8. */
  readonly bytes: number
}

/** Below this an article is not worth more than the page around it, unless it is most of that. In characters. */
const shortArticle = 500
/** In characters. */
const maxTitle = 500

const copyVisible = String.raw`
  const leftOut = new Set(["script", "style", "noscript", "template", "iframe", "object", "embed", "canvas", "svg",
    "select", "textarea", "link", "meta", "base"])
  const keptAttributes = ["id", "class", "alt", "title", "colspan", "rowspan", "start", "dir", "lang", "role",
    "rel", "itemprop", "itemtype", "itemscope", "datetime"]

  const languagePatterns = [/\b(?:language|lang)-([\w+#.-]+)/, /\bhighlight-(?:source|text)-([\w+#-]+)/,
    /\bbrush:\s*([\w+#-]+)/, /\bhljs\s+([\w+#-]+)/, /\bsourceCode\s+([\w+#-]+)/]

  const languageOf = (pre) => {
    const code = pre.querySelector("code")
    const around = [code, pre, pre.parentElement, pre.parentElement && pre.parentElement.parentElement]
    for (const element of around) {
      if (element === null) continue
      const named = element.dataset.lang || element.dataset.language
      if (named) return named
      for (const pattern of languagePatterns) {
        const found = pattern.exec(element.getAttribute("class") || "")
        if (found !== null) return found[1]
      }
    }
    return pre.getAttribute("lang") || ""
  }

  /** Texts for screen readers are squeezed into a dot. */
  const isSqueezed = (element, style) => {
    if (style.position !== "absolute" && style.position !== "fixed") return false
    const { width, height } = element.getBoundingClientRect()
    return width <= 1 && height <= 1 && style.overflow !== "visible"
  }

  /** An element of the page's own is one of ours that is laid out alike. */
  const nameOf = ({ localName }, { display }) => {
    if (localName !== "span" && /^[a-z][a-z0-9]*$/.test(localName)) return localName
    return display.startsWith("inline") || display === "contents" ? "span" : "div"
  }

  const childrenOf = (element) => {
    if (element.shadowRoot) return element.shadowRoot.childNodes
    if (element.localName !== "slot") return element.childNodes
    const assigned = element.assignedNodes()
    return assigned.length > 0 ? assigned : element.childNodes
  }

  const copyChildren = (from, to, isVisible) => {
    for (const child of childrenOf(from)) copyNode(child, to, isVisible)
  }

  const copyNode = (node, to, isVisible) => {
    if (node.nodeType === Node.TEXT_NODE) {
      if (isVisible) to.append(node.data)
      return
    }
    if (node.nodeType !== Node.ELEMENT_NODE || leftOut.has(node.localName)) return
    const style = getComputedStyle(node)
    if (style.display === "none" || isSqueezed(node, style)) return
    // What is inside of something invisible may be visible again.
    const isShown = style.visibility === "visible"
    const name = nameOf(node, style)
    if (name === "img") return copyImage(node, to, isShown)
    if (name === "input") return copyCheckbox(node, to, isShown)
    const element = to.ownerDocument.createElement(name)
    for (const attribute of keptAttributes) {
      const value = node.getAttribute(attribute)
      if (value !== null) element.setAttribute(attribute, value)
    }
    // Readability takes alignments away; a name that it does not know comes through.
    if (name === "td" || name === "th") element.dataset.align = node.getAttribute("align") || node.style.textAlign
    if (name === "pre") {
      if (!isShown) return
      const code = to.ownerDocument.createElement("code")
      const language = languageOf(node)
      if (language !== "") code.className = "language-" + language
      // As it is laid out: lines may be elements.
      code.textContent = node.innerText
      element.append(code)
      to.append(element)
      return
    }
    if (name === "a" && /^(https?|mailto):/.test(node.href)) element.setAttribute("href", node.href)
    copyChildren(node, element, isShown)
    to.append(element)
  }

  const copyImage = (node, to, isShown) => {
    const source = node.currentSrc || node.src
    if (!isShown || !/^https?:/.test(source)) return
    const image = to.ownerDocument.createElement("img")
    image.setAttribute("src", source)
    image.setAttribute("alt", node.alt)
    to.append(image)
  }

  /** As an element with a text, because empty ones and inputs get lost on the way. */
  const copyCheckbox = (node, to, isShown) => {
    if (!isShown || node.type !== "checkbox") return
    const checkbox = to.ownerDocument.createElement("span")
    checkbox.setAttribute("role", "checkbox")
    checkbox.setAttribute("aria-checked", String(node.checked))
    checkbox.textContent = node.checked ? "[x]" : "[ ]"
    to.append(checkbox)
  }

  const copyPage = () => {
    const copy = document.implementation.createHTMLDocument(document.title)
    copy.documentElement.lang = document.documentElement.lang
    // Titles and names of authors are also found here.
    for (const meta of document.querySelectorAll("meta[name], meta[property]")) copy.head.append(copy.importNode(meta))
    if (document.body !== null) copyChildren(document.body, copy.body, getComputedStyle(document.body).visibility === "visible")
    return copy
  }
`

const extract = String.raw`
  const textLength = (node) => node.textContent.replace(/\s+/g, " ").trim().length

  const findArticle = (page) => {
    const whole = page.body.cloneNode(true)
    const article = new Readability(page, { keepClasses: true, serializer: (element) => element }).parse()
    if (article === null) return { title: document.title, content: whole }
    const length = textLength(article.content)
    const isWorthIt = length >= shortArticle || length * 3 >= textLength(whole)
    return { title: article.title || document.title, content: isWorthIt ? article.content : whole }
  }

  const writer = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-", emDelimiter: "_" })
  writer.use(gfm)

  const { title, content } = findArticle(copyPage())
  for (const cell of content.querySelectorAll("td, th")) cell.setAttribute("align", cell.dataset.align || "")
  const markdown = writer.turndown(content).trim()
  return { title: title.trim().slice(0, maxTitle), markdown: markdown.slice(0, maxLength), bytes: new TextEncoder().encode(markdown).length }
`

const require = createRequire(import.meta.url)

const sourceOf = async (name: string, path: string, exported = ""): Promise<string> => {
  const source = await readFile(path, "utf8")
  return `const ${name} = ((module, exports) => {\n${source}\n;return module.exports${exported} })(...(() => { const module = { exports: {} }; return [module, module.exports] })());`
}

/** Rejects with `MODULE_NOT_FOUND` where a package is not installed. */
export const loadLibraries = async (): Promise<string> => {
  const sources = await Promise.all([
    sourceOf("Readability", require.resolve("@mozilla/readability/Readability.js")),
    sourceOf("Turndown", require.resolve("turndown/lib/turndown.browser.cjs.js")),
    sourceOf("gfm", require.resolve("@joplin/turndown-plugin-gfm"), ".gfm"),
  ])
  return sources.join("\n")
}

/** An expression whose value is an ExtractedPage. `libraries` is what `loadLibraries` gave; lengths are in characters. */
export const pageScript = (libraries: string, maxLength: number): string =>
  `(() => {\n${libraries}\nconst maxLength = ${maxLength}, shortArticle = ${shortArticle}, maxTitle = ${maxTitle};\n${copyVisible}\n${extract}\n})()`
