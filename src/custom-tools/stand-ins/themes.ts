/** The themes of pi's components where there is no screen: every style gives its text as it is. */
import { plainTheme } from "../theme.ts"
import type { MarkdownTheme } from "./tui/markdown.ts"
import type { SelectListTheme } from "./tui/select-list.ts"
import type { SettingsListTheme } from "./tui/settings-list.ts"

const plain = (text: string): string => text
const { bold, italic, strikethrough, underline } = plainTheme

export const getMarkdownTheme = (): MarkdownTheme => ({
  heading: plain,
  link: plain,
  linkUrl: plain,
  code: plain,
  codeBlock: plain,
  codeBlockBorder: plain,
  quote: plain,
  quoteBorder: plain,
  hr: plain,
  listBullet: plain,
  bold,
  italic,
  strikethrough,
  underline,
})

export const getSelectListTheme = (): SelectListTheme => ({
  selectedPrefix: plain,
  selectedText: plain,
  description: plain,
  scrollInfo: plain,
  noMatch: plain,
})

export const getSettingsListTheme = (): SettingsListTheme => ({
  label: plain,
  value: plain,
  description: plain,
  cursor: "→ ",
  hint: plain,
})

/** The lines of a code, not coloured. */
export const highlightCode = (code: string): Array<string> => code.split("\n")

const languages: Readonly<Record<string, string>> = {
  bash: "bash",
  c: "c",
  cc: "cpp",
  cpp: "cpp",
  cs: "csharp",
  css: "css",
  cts: "typescript",
  cjs: "javascript",
  go: "go",
  h: "c",
  hpp: "cpp",
  html: "html",
  java: "java",
  js: "javascript",
  json: "json",
  jsx: "javascript",
  kt: "kotlin",
  lua: "lua",
  md: "markdown",
  mjs: "javascript",
  mts: "typescript",
  php: "php",
  py: "python",
  rb: "ruby",
  rs: "rust",
  sh: "bash",
  sql: "sql",
  swift: "swift",
  toml: "toml",
  ts: "typescript",
  tsx: "typescript",
  xml: "xml",
  yaml: "yaml",
  yml: "yaml",
}

/** By the extension; undefined for one that is not known. */
export const getLanguageFromPath = (path: string): string | undefined => {
  const extension = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase()
  return extension !== undefined && Object.hasOwn(languages, extension) ? languages[extension] : undefined
}
