/** Claude Code's rules for files: `Read(./.env)`, `Edit(src/**)`. Deny rules also apply to commands, as far as these name the file. */
import type { ImportedRule, Importing, Outcome } from "./imported.ts"
import { allowedPaths, coveredPaths, type Name, named, type Roots } from "./path-patterns.ts"

const readers = ["read_file", "open_file", "ast_grep"] as const
const changers = ["edit_file", "write_file", "ast_edit"] as const

/** The built-in tools that work on files. */
const fileTools = [...readers, ...changers] as const

/** Tools without a gate: calls that should be asked have to be denied. */
const gateless: ReadonlySet<string> = new Set(["read_file", "ast_grep"])

/**
 * Programs that write to the files they are given. Few alternatives each: a pattern with many would need a watchdog while it
 * matches.
 */
const writers = [
  "sed|tee|cp|mv|rm|ln|dd",
  "rmdir|mkdir|touch|truncate|install|rsync|patch",
  "awk|gawk|perl|ruby|ed|ex|vi|vim",
  "chmod|chown|unlink|shred|split|csplit|tar",
]

/** Patterns for command lines that write to a file of this name. */
const writing = ({ body }: Name): ReadonlyArray<string> => [
  `>[>|&]? ?\\S*?${body}`,
  ...writers.map((programs) => `^(?:${programs}) [^]*${body}`),
]

/** Programs whose next word is rarely a file. */
const runners = "(?:npm|pnpm|yarn|bun|make|cargo|go|run|docker|git commit)"

/**
 * Patterns for command lines that read a file of this name. A plain word may be the name of a task, as in `npm run build`: it
 * counts in a command of another program, after any quoted text of that command.
 */
const reading = ({ body, folder, glued, isOfFile }: Name): ReadonlyArray<string> =>
  isOfFile ? [body, glued] : [folder, `^(?!${runners} )[^|&;]+${body}`, `["'][^"']*["'] [^|&;]*${body}`]

/** Folders that Claude Code asks about before it writes to them. */
const guarded = "(?!(?:[^]*\\/)?\\.(?:git|claude|vscode|idea|husky)(?:\\/|$))"
/** Hidden files are configuration, which only the user may allow, by name. */
const hidden = "(?!(?:[^]*\\/)?\\.[^\\/])"

const allow = (
  importing: Importing,
  tools: ReadonlyArray<string>,
  spec: string,
  entry: ImportedRule,
  roots: Roots,
): Outcome => {
  const found = allowedPaths(spec === "" ? "**" : spec, roots)
  if (found === undefined) {
    return { status: "asked", because: "It is not known which folder its path begins in." }
  }
  const isWriting = tools.some((tool) => (changers as ReadonlyArray<string>).includes(tool))
  const isNamed = /(?:^|\/)\.[\w-]/.test(spec)
  const guard = isWriting ? (isNamed ? guarded : hidden) : ""
  for (const tool of tools) importing.allow(tool, { ...found, body: `${guard}${found.body}` }, entry)
  // At any other position, gitignore may mean more.
  const isSame =
    (guard === "" ? /^[^*?[]+\/\*\*$/ : /^$/).test(spec) || /^(?:\.?\/|~\/)?[^*?[/]+\/[^*?[]+$/.test(spec)
  if (isSame) return { status: "same" }
  return {
    status: "narrower",
    because: `Only what surely matches: of a path that begins with no slash, what lies in this folder${isWriting ? "; hidden files are asked" : ""}.`,
  }
}

interface Taking {
  readonly tools: ReadonlyArray<string>
  /** Patterns for the command lines with the same effect. */
  readonly lines: (name: Name) => ReadonlyArray<string>
}

const take = (
  importing: Importing,
  { tools, lines }: Taking,
  spec: string,
  entry: ImportedRule,
  roots: Roots,
): Outcome => {
  const { kind, source } = entry
  const found = coveredPaths(spec, roots)
  const name = named(spec)
  const pattern = found === undefined ? ".*" : `^${found.body}$`
  for (const tool of tools) {
    if (kind === "deny" || gateless.has(tool)) importing.deny(tool, pattern)
    else if (found === undefined) importing.leaveAsked(tool, source)
    else importing.except(tool, { ...found, body: `${found.body}$`, source })
  }
  if (name === undefined) importing.leaveAsked("shell", source)
  else if (kind === "deny") for (const line of lines(name)) importing.deny("shell", line)
  else importing.except("shell", { body: `[^]*${name.body}`, head: "", source })
  if (kind === "ask") {
    const isDenied = tools.some((tool) => gateless.has(tool))
    return isDenied
      ? { status: "narrower", because: "`read_file` and `ast_grep` ask nobody, so it is denied to them." }
      : { status: "asked", because: "No rule here allows it." }
  }
  return {
    status: "narrower",
    because:
      name === undefined
        ? "It is not certain which commands name such a file, so every command asks."
        : "A command that names such a file, in any folder, is denied too.",
  }
}

const bare = (
  importing: Importing,
  tools: ReadonlyArray<string>,
  { kind, source }: ImportedRule,
): Outcome => {
  for (const tool of tools) {
    if (kind === "deny" || gateless.has(tool)) importing.deny(tool, ".*")
    else importing.leaveAsked(tool, source)
  }
  if (kind === "deny") return { status: "same" }
  return tools.some((tool) => gateless.has(tool))
    ? { status: "narrower", because: "`read_file` and `ast_grep` ask nobody, so they are denied." }
    : { status: "asked", because: "No rule here allows it." }
}

/** The meaning of a rule for the tools of this library, by the name of Claude Code's tool. */
const meanings: Readonly<
  Record<string, { readonly allows: ReadonlyArray<string>; readonly bare: ReadonlyArray<string> }>
> = {
  Read: { allows: ["read_file"], bare: readers },
  Edit: { allows: ["edit_file", "write_file"], bare: changers },
  Write: { allows: ["write_file"], bare: ["write_file"] },
  MultiEdit: { allows: ["edit_file"], bare: ["edit_file", "ast_edit"] },
  Grep: { allows: ["ast_grep"], bare: ["ast_grep"] },
}

const read: Taking = { tools: fileTools, lines: reading }
const change: Taking = { tools: changers, lines: writing }

const isIgnored = (name: string, spec: string): boolean =>
  spec !== "" && ["Write", "MultiEdit", "NotebookEdit", "Glob", "Grep"].includes(name)

/** Returns the function that adds a rule for files; undefined for a tool that does not use files. */
export const addFileRule = (name: string, roots: Roots) => {
  const meaning = meanings[name]
  if (meaning === undefined && !isIgnored(name, "x")) return undefined
  return (importing: Importing, spec: string, entry: ImportedRule): Outcome => {
    const { kind } = entry
    if (spec === "" && meaning === undefined)
      return { status: "dropped", because: `There is no tool like \`${name}\` here.` }
    if (isIgnored(name, spec)) {
      const other = /^(?:Glob|Grep)$/.test(name) ? "Read" : "Edit"
      if (kind === "allow") {
        return { status: "dropped", because: `Claude Code looks for paths in rules for \`${other}\` alone.` }
      }
      take(importing, other === "Read" ? read : change, spec, entry, roots)
      return { status: "narrower", because: `Claude Code ignores it; it is taken for \`${other}(${spec})\`.` }
    }
    if (kind === "allow")
      return allow(importing, spec === "" ? meaning!.bare.slice(0, 1) : meaning!.allows, spec, entry, roots)
    if (spec === "") return bare(importing, meaning!.bare, entry)
    return take(importing, name === "Read" ? read : change, spec, entry, roots)
  }
}
