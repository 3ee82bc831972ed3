/** The `key: value` lines between two lines of `---` at the start of a Markdown file. Not YAML: no nesting. */

export interface Frontmatter {
  readonly frontmatter: Readonly<Record<string, unknown>>
  readonly body: string
}

const block = /^---[ \t]*\n(?:([\s\S]*?)\n)??---[ \t]*(?:\n|$)/

const scalar = (text: string): unknown => {
  const quoted = /^(["'])(.*)\1$/.exec(text)
  if (quoted !== null) return quoted[2]
  if (text === "" || text === "~" || text === "null") return null
  if (text === "true" || text === "false") return text === "true"
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) ? Number(text) : text
}

const valueOf = (text: string): unknown => {
  const list = /^\[(.*)\]$/.exec(text)
  if (list === null) return scalar(text)
  return list[1]!.trim() === "" ? [] : list[1]!.split(",").map((item) => scalar(item.trim()))
}

const withoutComment = (text: string): string => text.replace(/(?:^|\s)#.*$/, "").trim()

/** Parses a field's value. `>` and `|` start a block text. */
const fieldValue = (text: string): unknown => {
  if (/^["']/.test(text)) return scalar(text)
  return /^[>|][+-]?$/.test(text) ? "" : valueOf(withoutComment(text))
}

const joined = (value: unknown, line: string): string => `${value ?? ""} ${line}`.trim()

/**
 * Reads strings, quoted or not, numbers, booleans, `[a, b]` and lists of `- item` lines. Indented lines below a key without
 * a list, as in block texts, are joined to its text.
 */
const readFields = (yaml: string): Readonly<Record<string, unknown>> => {
  const fields = new Map<string, unknown>()
  let key = ""
  for (const line of yaml.split("\n")) {
    const field = /^([^\s#:'"-][^:]*):(?:\s+(.*))?$/.exec(line)
    const item = /^\s*-\s+(.*)$/.exec(line)?.[1]
    const value = fields.get(key)
    if (field !== null) {
      key = field[1]!.trim()
      fields.set(key, fieldValue(field[2]?.trim() ?? ""))
    } else if (key === "" || line.trim() === "") continue
    else if (item !== undefined && (value === null || Array.isArray(value))) {
      fields.set(key, [...(value ?? []), scalar(item.trim())])
    } else if (/^\s/.test(line) && !Array.isArray(value)) fields.set(key, joined(value, line.trim()))
  }
  return Object.fromEntries(fields)
}

/** Parses the front matter. A text without one is all body. */
export const parseFrontmatter = (content: string): Frontmatter => {
  const text = content.replace(/\r\n?/g, "\n")
  const found = block.exec(text)
  if (found === null) return { frontmatter: {}, body: text }
  return { frontmatter: readFields(found[1] ?? ""), body: text.slice(found[0].length).trim() }
}

/** The text after the front matter. */
export const stripFrontmatter = (content: string): string => parseFrontmatter(content).body
