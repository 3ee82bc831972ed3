/** The rules for commands of Codex, as https://developers.openai.com/codex/rules describes them: `prefix_rule(pattern = ["git", "status"])`. */
import { escaped } from "./globs.ts"
import { type ImportedRule, type ImportedRules, Importing, type Outcome } from "./imported.ts"
import { type Literal, readStatements, type Statement } from "./starlark.ts"

const tool = "shell"

type Call = Extract<Statement, { readonly _tag: "Call" }>

/** The parameters of `prefix_rule`, in order. */
const parameters = ["pattern", "decision", "match", "not_match", "justification"] as const

const kinds = { allow: "allow", prompt: "ask", forbidden: "deny" } as const

interface PrefixRule {
  /** The alternatives for each word of the prefix. */
  readonly words: ReadonlyArray<ReadonlyArray<string>>
  readonly kind: ImportedRule["kind"]
  readonly matches: ReadonlyArray<ReadonlyArray<string>>
  readonly others: ReadonlyArray<ReadonlyArray<string>>
}

const isText = (value: Literal | undefined): value is string => typeof value === "string"

const isTexts = (value: Literal | undefined): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.length > 0 && value.every(isText)

/** The words of an example, which may be given as a line. */
const wordsOf = (example: Literal): ReadonlyArray<string> | undefined => {
  if (isTexts(example)) return example
  if (!isText(example)) return undefined
  const words = example.match(/(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/g) ?? []
  return words.map((word) =>
    word.replace(
      /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g,
      (_, single, double, char) => single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? char,
    ),
  )
}

const examplesOf = (value: Literal | undefined): ReadonlyArray<ReadonlyArray<string>> | undefined => {
  if (value === undefined) return []
  if (isText(value)) return undefined
  const examples = value.map(wordsOf)
  return examples.includes(undefined) ? undefined : (examples as ReadonlyArray<ReadonlyArray<string>>)
}

/** Undefined for a call that Codex would reject. */
const prefixRule = ({ args }: Call): PrefixRule | undefined => {
  const given = new Map([...args].map(([key, value]) => [parameters[Number(key)] ?? key, value]))
  const { pattern, decision = "allow", match, not_match } = Object.fromEntries(given)
  const isKnown =
    given.size === args.size &&
    [...given.keys()].every((key) => (parameters as ReadonlyArray<string>).includes(key))
  if (!isKnown || isText(pattern) || pattern === undefined || pattern.length === 0) return undefined
  const words = pattern.map((word) => (isText(word) ? [word] : isTexts(word) ? word : undefined))
  const kind =
    isText(decision) && Object.hasOwn(kinds, decision) ? kinds[decision as keyof typeof kinds] : undefined
  const [matches, others] = [examplesOf(match), examplesOf(not_match)]
  if (words.includes(undefined) || kind === undefined || matches === undefined || others === undefined)
    return undefined
  return { words: words as PrefixRule["words"], kind, matches, others }
}

const begins = ({ words }: PrefixRule, example: ReadonlyArray<string>): boolean =>
  words.every((texts, at) => texts.includes(example[at]!))

const bodyOf = ({ words }: PrefixRule): string =>
  words
    .map((texts) => (texts.length === 1 ? escaped(texts[0]!) : `(?:${texts.map(escaped).join("|")})`))
    .join(" ")

/** The text that every match begins with. */
const headOf = ({ words }: PrefixRule): string => {
  const open = words.findIndex((texts) => texts.length > 1)
  const known = words.slice(0, open < 0 ? words.length : open).map(([text]) => text)
  return open < 0 ? known.join(" ") : known.map((text) => `${text} `).join("")
}

const narrowing = "Options with which a program writes or runs something are asked."

const addPrefix = (importing: Importing, rule: PrefixRule, entry: ImportedRule): Outcome => {
  const { words, kind, matches, others } = rule
  const body = bodyOf(rule)
  if (kind === "deny") {
    importing.deny(tool, `^${body}(?: [^]*)?$`)
    return { status: "same" }
  }
  if (kind === "ask") {
    const isPrefix = words.every(({ length }) => length === 1)
    importing.except(tool, { body: `${body}(?: |$)`, head: headOf(rule), source: entry.source, isPrefix })
    return { status: "asked", because: "No rule here allows it." }
  }
  if (!matches.every((example) => begins(rule, example)) || others.some((example) => begins(rule, example))) {
    return { status: "dropped", because: "One of its examples says otherwise, for which Codex refuses it." }
  }
  if (!words.flat().every((text) => /^[\w@%+=:,./-]+$/.test(text))) {
    return {
      status: "asked",
      because: "A word of it has to be quoted, and is matched here as a line writes it.",
    }
  }
  importing.allow(tool, { body: `${body}(?: [^]*)?`, head: headOf(rule) }, entry, "plain")
  return { status: "narrower", because: narrowing }
}

const addOther = (importing: Importing, statement: Statement, entry: ImportedRule): Outcome => {
  if (statement._tag === "Call" && statement.name === "host_executable") {
    return { status: "dropped", because: "A program by its path is asked here, and denied by its name too." }
  }
  if (statement._tag === "Call" && statement.name === "network_rule") {
    return {
      status: "dropped",
      because:
        "Rules here are for calls, and not for what a command reaches: `--sandbox` with `--allow-domain` is.",
    }
  }
  // The statement may make rules that forbid something.
  importing.leaveAsked(tool, entry.source)
  return {
    status: "asked",
    because: "It is not followed, and may forbid something, so every command is asked.",
  }
}

/** The kind of a statement that makes no prefix rule: `deny` if it may forbid something. */
const kindOf = (statement: Statement): ImportedRule["kind"] =>
  statement._tag === "Call" && statement.name === "host_executable" ? "allow" : "deny"

/** A statement on one line, for people. */
const shown = ({ source }: Statement): string => {
  const line = source.replace(/\s+/g, " ")
  return line.length <= 200 ? line : `${line.slice(0, 200)}…`
}

/**
 * Translates the `prefix_rule`s of a `.rules` file of Codex. Its Starlark is parsed, but never evaluated: if the file has
 * statements other than calls with literals, nothing is allowed. Everything that is allowed here is allowed there too, and
 * everything that is forbidden there is denied here. Throws a TypeError for anything but a string.
 *
 * @example
 * const { rules, report } = importCodexRules('prefix_rule(pattern = ["git", ["status", "log"]], decision = "allow")')
 */
export const importCodexRules = (text: string): ImportedRules => {
  if (typeof text !== "string") throw new TypeError(`Expected the rules to be a text, got ${typeof text}`)
  const importing = new Importing()
  for (const statement of readStatements(text)) {
    const rule =
      statement._tag === "Call" && statement.name === "prefix_rule" ? prefixRule(statement) : undefined
    if (rule === undefined)
      importing.add(shown(statement), kindOf(statement), (entry) => addOther(importing, statement, entry))
    else importing.add(shown(statement), rule.kind, (entry) => addPrefix(importing, rule, entry))
  }
  return importing.result()
}
