/** The interface to a parser that searches and edits need. */
import type { Language } from "./language.ts"

export interface SyntaxRule {
  readonly kind?: string
  readonly regex?: string
  readonly any?: Array<SyntaxRule>
  /** The first node of the kind `selector` in `context`. */
  readonly pattern?: { readonly context: string; readonly selector: string }
}

/** A pattern in ast-grep's form. */
export type Matcher = string | { readonly rule: SyntaxRule }

/** 0-based. */
interface Position {
  readonly line: number
  /** In UTF-16 code units, like indices of a string. */
  readonly index: number
}

export interface SyntaxNode {
  id(): number
  kind(): string
  text(): string
  isNamed(): boolean
  isLeaf(): boolean
  range(): { readonly start: Position; readonly end: Position }
  children(): Array<SyntaxNode>
  parent(): SyntaxNode | null
  find(matcher: Matcher): SyntaxNode | null
  /** All matches in the order of the text, outer ones before inner ones. */
  findAll(matcher: Matcher): Array<SyntaxNode>
  /** The node that `$NAME` captures in a match. */
  getMatch(name: string): SyntaxNode | null
  /** The nodes that `$$$NAME` captures in a match. */
  getMultipleMatches(name: string): Array<SyntaxNode>
}

export interface Grammar {
  readonly language: Language
  /** Resolves with the root of the text's tree. Parses in a thread, so that several texts can be parsed in parallel. */
  parse(text: string): Promise<SyntaxNode>
  parseNow(text: string): SyntaxNode
}

export interface GrammarSource {
  /** Rejects with a StructuralError that names the package to install. */
  of(language: Language): Promise<Grammar>
}
