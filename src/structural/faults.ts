/** Finds the parts of a text that a parser could not parse, or had to insert. */
import type { Grammar, SyntaxNode } from "./grammar.ts"
import type { Language } from "./language.ts"
import { StructuralError } from "./structural-error.ts"

export interface Fault {
  readonly kind: string
  /** Empty if something is missing. */
  readonly text: string
  /** 1-based. */
  readonly line: number
}

/** Kinds of empty nodes that do not mean something is missing. */
const emptyKinds: ReadonlySet<string> = new Set(["", "raw_text"])

/** The faults in the order of the text. Some grammars also report faults in code that compiles. */
export const faultsOf = (root: SyntaxNode, language: Language): Array<Fault> => {
  const kinds = ["ERROR", ...language.faultyKinds].map((kind) => ({ kind }))
  const nodes = root.findAll({ rule: { any: [...kinds, { regex: "^$" }] } })
  return nodes
    .map((node) => ({ node, kind: node.kind(), text: node.text() }))
    .filter(({ node, kind, text }) => text !== "" || (!emptyKinds.has(kind) && node.parent() !== null))
    .map(({ node, kind, text }) => ({ kind, text, line: node.range().start.line + 1 }))
}

const maxShown = 80

/** The first fault that the text did not have before. */
const newFault = (before: ReadonlyArray<Fault>, after: ReadonlyArray<Fault>): Fault | undefined => {
  if (after.length <= before.length) return undefined
  const keyOf = ({ kind, text }: Fault) => `${kind} ${text}`
  const known = new Set(before.map(keyOf))
  return after.find((fault) => !known.has(keyOf(fault))) ?? after.at(-1)
}

const described = ({ kind, text, line }: Fault): string => {
  const [first = ""] = text.trim().split("\n")
  const shown = first.length > maxShown ? `${first.slice(0, maxShown)}…` : first
  return text === "" ? `line ${line} lacks ${kind}` : `line ${line} would have a syntax error at: ${shown}`
}

/** Rejects with a StructuralError if the new text has faults that the old one did not have. */
export const expectParses = async (grammar: Grammar, before: string, after: string): Promise<void> => {
  const faults = faultsOf(await grammar.parse(after), grammar.language)
  if (faults.length === 0) return
  const fault = newFault(faultsOf(await grammar.parse(before), grammar.language), faults)
  if (fault === undefined) return
  throw new StructuralError(
    `The result would not be valid ${grammar.language.name}: ${described(fault)}. Correct the replacement.`,
  )
}
