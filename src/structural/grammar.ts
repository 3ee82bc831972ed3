/** What searches and edits need of a parser. */
import type { Language } from "./language.ts"

export interface SyntaxRule {
  readonly kind?: string
  readonly regex?: string
  readonly any?: Array<SyntaxRule>
  /** The first node of the kind `selector`, as it stands in `context`. */
  readonly pattern?: { readonly context: string; readonly selector: string }
}

/** A pattern as ast-grep takes it. */
export type Matcher = string | { readonly rule: SyntaxRule }

/** 0-based. */
interface Position {
  readonly line: number
  /** In UTF-16 code units, as those of a string. */
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
  /** In the order of the text, outer ones before those inside them. */
  findAll(matcher: Matcher): Array<SyntaxNode>
  /** What `$NAME` stands for in a match. */
  getMatch(name: string): SyntaxNode | null
  /** What `$$$NAME` stands for in a match. */
  getMultipleMatches(name: string): Array<SyntaxNode>
}

export interface Grammar {
  readonly language: Language
  /** The root of the text's tree. Parses in a thread, so that several texts can be parsed at a time. */
  parse(text: string): Promise<SyntaxNode>
  parseNow(text: string): SyntaxNode
}

export interface GrammarSource {
  /** Fails with a StructuralError that says what to install. */
  of(language: Language): Promise<Grammar>
}
