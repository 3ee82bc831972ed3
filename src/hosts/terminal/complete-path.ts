/** Completions for the last word of a typed text, as a path. */
import { readdir } from "node:fs/promises"
import { resolve } from "node:path"
import { expandHome } from "../../text/expand-home.ts"
import type { Completion } from "./line-editor.ts"

/** Words, held together by quotes that may be unclosed, and the characters between them. */
const words = /(?:"[^"]*"?|'[^']*'?|\\.|[^\s"'\\])+|[\s\\]/gs

/** The word that is being typed; empty after a space. */
const lastWord = (text: string): string => {
  const last = text.match(words)?.at(-1) ?? ""
  return /^[\s\\]$/.test(last) ? "" : last
}

/** Nobody reads longer lists. */
const maxCandidates = 500

const unquoted = (word: string): string => word.replace(/["']|\\(.)/g, "$1")

const quoted = (path: string, quote: string | undefined, isFolder: boolean): string => {
  if (quote === undefined && !/[\s"'\\$`*?[\]{}()<>|&;!#~]/.test(path)) return isFolder ? path : `${path} `
  const mark = quote ?? (path.includes("'") ? '"' : "'")
  // No closing quote, because the name of a file in the folder can follow.
  return isFolder ? mark + path : `${mark}${path}${mark} `
}

/** @param cwd The base of relative paths. */
export const completePath = async (before: string, cwd: string): Promise<Completion> => {
  // Within a JSON object a word starts at its quote, whatever precedes it.
  const isOpen = (before.match(/"/g)?.length ?? 0) % 2 === 1
  const word = isOpen ? before.slice(before.lastIndexOf('"')) : lastWord(before)
  const from = before.length - word.length
  const path = unquoted(word)
  const slash = path.lastIndexOf("/") + 1
  const [folder, start] = [path.slice(0, slash), path.slice(slash)]
  const entries = await readdir(resolve(cwd, expandHome(folder)), { withFileTypes: true }).catch(() => [])
  const quote = /^["']/.exec(word)?.[0]
  const candidates = entries
    .filter(({ name }) => name.startsWith(start) && (start !== "" || !name.startsWith(".")))
    .slice(0, maxCandidates)
    .map((entry) =>
      quoted(`${folder}${entry.name}${entry.isDirectory() ? "/" : ""}`, quote, entry.isDirectory()),
    )
  return { from, candidates: candidates.sort() }
}
