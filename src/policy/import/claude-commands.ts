/** Claude Code's rules for Bash: `npm test`, `npm run *`, `npm run:*`. */
import { commandBody, escaped } from "./globs.ts"
import type { Body, Exception, ImportedRule, Importing, Outcome } from "./imported.ts"

const tool = "shell"

/** Parameters of Bash that a rule may refer to instead of the command. */
const parameter = /^(?:command|description|timeout|run_in_background|dangerouslyDisableSandbox)\s*:(?!\*$)/

/** Words that are one word however a line quotes them. */
const isPlain = (text: string): boolean => /^[\w@%+=:,./-]+(?: [\w@%+=:,./-]+)*$/.test(text)

/** Programs that run another one, which Claude Code asks about unless a rule is the whole command. */
const folder = "(?:[^ ]*\\/)?"
const runners = `${folder}(?:watch|setsid|ionice|flock)(?: |$)`
const finders = `${folder}find (?:[^]* )?-(?:exec|execdir|ok|okdir|delete|fls|fprint\\S*)(?: |$)`
/** Paths outside of the folder: Claude Code asks about critical ones. */
const removers = `${folder}rm(?:dir)? (?:[^]*[ ="'])?(?:\\/|~|\\.\\.?(?:[\\/ "']|$))`

interface CommandPattern extends Body {
  /** The part before the wildcards. */
  readonly prefix: string
  readonly isExact: boolean
  readonly isPrefix: boolean
}

const patternOf = (text: string): CommandPattern => {
  const spec = text.replace(/:\*$/, " *")
  const [, prefix] = /^([^*]*) \*$/.exec(spec) ?? []
  // A blank before the only star is the end of a word.
  if (prefix !== undefined && prefix !== "") {
    return { body: `${escaped(prefix)}(?: [^]*)?`, head: prefix, prefix, isExact: false, isPrefix: true }
  }
  const head = spec.split("*")[0]!
  return { body: commandBody(spec), head, prefix: spec, isExact: !spec.includes("*"), isPrefix: false }
}

const isAll = (spec: string): boolean => /^(?:\*|:\*| \*)?$/.test(spec)

const asked = (because: string): Outcome => ({ status: "asked", because })

const narrowing =
  "Only in plain lines, without redirections, expansions, variables and the like; options with which a program writes or runs something are asked."

/** The commands that a pattern excludes, by the program that it may begin with. */
const leftOut = ({ head, isPrefix }: Pick<CommandPattern, "head" | "isPrefix">): string => {
  const [first = ""] = head.split(" ")
  // The pattern may continue within the word.
  const isWhole = isPrefix || head.length > first.length
  const program = first.slice(first.lastIndexOf("/") + 1)
  const programs = { find: finders, rm: removers, rmdir: removers }
  const found = Object.entries(programs).filter(([name]) =>
    isWhole ? name === program : name.startsWith(program),
  )
  const texts = isWhole || !/^(?:w|s|i|f|$)/.test(program) ? [] : [runners]
  return [...new Set([...texts, ...found.map(([, text]) => text)])].map((text) => `(?!${text})`).join("")
}

const allow = (importing: Importing, spec: string, entry: ImportedRule): Outcome => {
  if (isAll(spec)) {
    const every = { body: `${leftOut({ head: "", isPrefix: false })}[^]*`, head: "" }
    importing.allow(tool, every, entry, "plain")
    return { status: "narrower", because: narrowing }
  }
  if (parameter.test(spec))
    return { status: "dropped", because: "A rule for a parameter allows nothing there." }
  const pattern = patternOf(spec)
  if (pattern.isExact) {
    if (!isPlain(spec))
      return asked("It is no single command of plain words, as a rule for a whole command has to be here.")
    importing.allow(tool, pattern, entry, "plain")
    return { status: "same" }
  }
  if (new RegExp(`^${runners}`).test(`${pattern.prefix} `)) {
    return asked("It runs the command behind it, and asks there too unless a rule is the whole command.")
  }
  importing.allow(tool, { body: `${leftOut(pattern)}${pattern.body}`, head: pattern.head }, entry, "plain")
  return { status: "narrower", because: narrowing }
}

/** Adds a rule for Bash. @param spec The text in its brackets; empty for none. */
export const addCommandRule = (importing: Importing, spec: string, entry: ImportedRule): Outcome => {
  const { kind, source } = entry
  if (kind === "allow") return allow(importing, spec, entry)
  if (/^command\s*:/.test(spec) && parameter.test(spec)) {
    return { status: "dropped", because: "Claude Code ignores rules for `command`." }
  }
  if (parameter.test(spec)) {
    importing.leaveAsked(tool, source)
    return asked("Rules here are about the command alone, so every command is asked.")
  }
  if (isAll(spec)) {
    if (kind === "deny") importing.deny(tool, ".*")
    else importing.leaveAsked(tool, source)
    return kind === "deny" ? { status: "same" } : asked("Every command is asked.")
  }
  const { body, head, prefix, isPrefix } = patternOf(spec)
  if (kind === "deny") {
    importing.deny(tool, `^${body}$`)
    return { status: "same" }
  }
  const exception: Exception = isPrefix
    ? { body: `${escaped(prefix)}(?: |$)`, head: prefix, source, isPrefix }
    : { body: `${body}$`, head, source }
  importing.except(tool, exception)
  return asked("No rule here allows it.")
}
