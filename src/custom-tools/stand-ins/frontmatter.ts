/** The YAML between two lines of `---` at the start of a Markdown file. */
import { requireBeside } from "../../io/beside.ts"
import { isPlainObject } from "../../schema/plain-object.ts"

export interface Frontmatter {
  readonly frontmatter: Readonly<Record<string, unknown>>
  readonly body: string
}

const block = /^---[ \t]*\n(?:([\s\S]*?)\n)??---[ \t]*(?:\n|$)/

/** A field with a plain text that YAML refuses, with a colon in it or a sign before it, as in many descriptions for models. */
const refused = /^([^\s#:'"-][^:\n]*):[ \t]+(?!["'[{>|])(.*:[ \t].*|[@`%*&!].*)$/gm

/** A final newline, which a block text has, is dropped. */
const trimmed = (_key: unknown, value: unknown): unknown =>
  typeof value === "string" ? value.trimEnd() : value

const readFields = (source: string): Frontmatter["frontmatter"] => {
  // Loaded when needed: few tools read such files.
  const { parse } = requireBeside("yaml") as typeof import("yaml")
  const read = (yaml: string): Frontmatter["frontmatter"] => {
    const value: unknown = parse(yaml, trimmed)
    return isPlainObject(value) ? value : {}
  }
  try {
    return read(source)
  } catch (error) {
    const quoted = source.replace(refused, (_field, key, text) => `${key}: ${JSON.stringify(text)}`)
    if (quoted === source) throw error
    return read(quoted)
  }
}

/** Parses the front matter. A text without one is all body. Throws an error of YAML that names the line. */
export const parseFrontmatter = (content: string): Frontmatter => {
  const text = content.replace(/\r\n?/g, "\n")
  const found = block.exec(text)
  if (found === null) return { frontmatter: {}, body: text }
  return { frontmatter: readFields(found[1] ?? ""), body: text.slice(found[0].length).trim() }
}

/** The text after the front matter. */
export const stripFrontmatter = (content: string): string => parseFrontmatter(content).body
