/**
 * The script that reads a page from inside: copies the visible content into a new document, finds the article in it
 * (Readability), and writes it as Markdown (Turndown). It is a string, because the browser compiles it: the source of a
 * function would change with every tool that transpiles it.
 */
import { readFile } from "node:fs/promises"
import { requireBeside } from "./beside.ts"
import { pageVisibility } from "./page-visibility.ts"

/** The result of the script. */
export interface ExtractedPage {
  readonly title: string
  /** Truncated if it is longer than requested. */
  readonly markdown: string
  /** Size of the whole Markdown, in UTF-8. */
  readonly bytes: number
  /** Whether only a part of the page could be read. */
  readonly isPartial: boolean
}

/** A shorter article is used only if it is most of its page. In characters. */
const shortArticle = 500
/** In characters. */
const maxTitle = 500
/** How much of a page is read at most: nodes, and characters. No result shows that much. */
const maxNodes = 200_000
const maxText = 2_000_000

const readers = `
  /** A form's fields hide its own properties of the same name. The prototypes still have them. */
  const getter = ({ prototype }, name) => {
    const { get } = Object.getOwnPropertyDescriptor(prototype, name)
    return (node) => get.call(node)
  }
  const nodeTypeOf = getter(Node, "nodeType")
  const childNodesOf = getter(Node, "childNodes")
  const parentElementOf = getter(Node, "parentElement")
  const localNameOf = getter(Element, "localName")
  const shadowRootOf = getter(Element, "shadowRoot")
  const attributeOf = (element, name) => Element.prototype.getAttribute.call(element, name)
  const rectangleOf = (element) => Element.prototype.getBoundingClientRect.call(element)
`

const copyVisible = String.raw`
  const leftOut = new Set(["script", "style", "noscript", "template", "object", "embed", "canvas", "svg",
    "select", "textarea", "link", "meta", "base"])
  const keptAttributes = ["id", "class", "alt", "title", "colspan", "rowspan", "start", "dir", "lang", "role",
    "rel", "itemprop", "itemtype", "itemscope", "datetime"]

  /** What is known to its form by its id, as far as it is not left out. */
  const fields = new Set(["button", "fieldset", "output"])

  const languagePatterns = [/\b(?:language|lang)-([\w+#.-]+)/, /\bhighlight-(?:source|text)-([\w+#-]+)/,
    /\bbrush:\s*([\w+#-]+)/, /\bhljs\s+([\w+#-]+)/, /\bsourceCode\s+([\w+#-]+)/]

  const languageOf = (pre) => {
    const code = pre.querySelector("code")
    const parent = parentElementOf(pre)
    for (const element of [code, pre, parent, parent && parentElementOf(parent)]) {
      if (element === null) continue
      const named = attributeOf(element, "data-lang") || attributeOf(element, "data-language")
      if (named) return named
      for (const pattern of languagePatterns) {
        const found = pattern.exec(attributeOf(element, "class") || "")
        if (found !== null) return found[1]
      }
    }
    return pre.getAttribute("lang") || ""
  }

  /** An element of the page's own is one of ours that is laid out alike. */
  const nameOf = (localName, { display }) => {
    if (localName !== "span" && /^[a-z][a-z0-9]*$/.test(localName)) return localName
    return display.startsWith("inline") || display === "contents" ? "span" : "div"
  }

  const childrenOf = (element) => {
    const shadowRoot = shadowRootOf(element)
    if (shadowRoot !== null) return shadowRoot.childNodes
    const assigned = localNameOf(element) === "slot" ? element.assignedNodes() : []
    return assigned.length > 0 ? assigned : childNodesOf(element)
  }

  const copyChildren = (from, to, isVisible) => {
    for (const child of childrenOf(from)) copyNode(child, to, isVisible)
  }

  let nodesLeft = maxNodes, textLeft = maxText
  const append = (to, text) => {
    textLeft -= text.length
    to.append(text)
  }

  const copyNode = (node, to, isVisible) => {
    if (--nodesLeft < 0 || textLeft < 0) return
    const type = nodeTypeOf(node)
    if (type === Node.TEXT_NODE) {
      if (isVisible) append(to, node.data)
      return
    }
    if (type !== Node.ELEMENT_NODE) return
    const localName = localNameOf(node)
    if (leftOut.has(localName)) return
    const style = getComputedStyle(node)
    if (isHidden(node, style)) return
    const isShown = showsText(style)
    const name = nameOf(localName, style)
    if (name === "img") return copyImage(node, to, isShown)
    if (name === "input") return copyCheckbox(node, to, isShown)
    if (name === "iframe") return nameFrame(node, to, isShown)
    const element = to.ownerDocument.createElement(name)
    for (const attribute of keptAttributes) {
      const value = attributeOf(node, attribute)
      // In the copy an id would hide properties of the form as well.
      const isFieldName = attribute === "id" && fields.has(name)
      if (value !== null && !isFieldName) element.setAttribute(attribute, value)
    }
    // Readability takes alignments away; a name that it does not know comes through.
    if (name === "td" || name === "th") element.dataset.align = node.getAttribute("align") || node.style.textAlign
    if (name === "pre") {
      if (!isShown) return
      const code = to.ownerDocument.createElement("code")
      const language = languageOf(node)
      if (language !== "") code.className = "language-" + language
      // As it is laid out: lines may be elements.
      append(code, node.innerText)
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

  /** What is in it is a page of its own. */
  const nameFrame = (node, to, isShown) => {
    if (!isShown || !/^https?:/.test(node.src)) return
    const link = to.ownerDocument.createElement("a")
    link.setAttribute("href", node.src)
    link.textContent = "frame: " + (node.title.trim() || node.src)
    const paragraph = to.ownerDocument.createElement("p")
    paragraph.append(link)
    to.append(paragraph)
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
    openFolds()
    if (document.body !== null) copyChildren(document.body, copy.body, showsText(getComputedStyle(document.body)))
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
  return { title: title.trim().slice(0, maxTitle), markdown: markdown.slice(0, maxLength), bytes: new TextEncoder().encode(markdown).length, isPartial: nodesLeft < 0 || textLeft < 0 }
`

const sourceOf = async (name: string, path: string, exported = ""): Promise<string> => {
  const source = await readFile(path, "utf8")
  return `const ${name} = ((module, exports) => {\n${source}\n;return module.exports${exported} })(...(() => { const module = { exports: {} }; return [module, module.exports] })());`
}

/** Loads the sources of the libraries. Rejects with `MODULE_NOT_FOUND` if a package is not installed. */
export const loadLibraries = async (): Promise<string> => {
  const sources = await Promise.all([
    sourceOf("Readability", requireBeside.resolve("@mozilla/readability/Readability.js")),
    sourceOf("Turndown", requireBeside.resolve("turndown/lib/turndown.browser.cjs.js")),
    sourceOf("gfm", requireBeside.resolve("@joplin/turndown-plugin-gfm"), ".gfm"),
  ])
  return sources.join("\n")
}

/**
 * Returns an expression that evaluates to an ExtractedPage. `libraries`: the result of `loadLibraries`; `maxLength`: in
 * characters.
 */
export const pageScript = (libraries: string, maxLength: number): string =>
  `(() => {\n${libraries}\nconst maxLength = ${maxLength}, shortArticle = ${shortArticle}, maxTitle = ${maxTitle}, maxNodes = ${maxNodes}, maxText = ${maxText};\n${readers}\n${pageVisibility}\n${copyVisible}\n${extract}\n})()`
