/** Compiles replacements for one language and applies them to a text. */
import type { Grammar } from "../../src/structural/grammar.ts"
import { installedGrammars } from "../../src/structural/installed-grammars.ts"
import { languageNamed } from "../../src/structural/language.ts"
import { compilePattern } from "../../src/structural/pattern.ts"
import { type RewrittenSource, rewriteSource } from "../../src/structural/rewrite-source.ts"
import { compileTemplate } from "../../src/structural/template.ts"

export const grammarOf = (language: string): Promise<Grammar> =>
  installedGrammars.of(languageNamed(language)!)

type Op = readonly [pattern: string, replacement: string]

export const rewritten = async (
  language: string,
  text: string,
  ...ops: ReadonlyArray<Op>
): Promise<RewrittenSource> => {
  const grammar = await grammarOf(language)
  const replacements = ops.map(([source, replacement]) => {
    const pattern = compilePattern(grammar, source)
    return { pattern, template: compileTemplate(replacement, pattern) }
  })
  return rewriteSource(grammar, replacements, text)
}

export const rewrittenText = async (
  language: string,
  text: string,
  ...ops: ReadonlyArray<Op>
): Promise<string> => (await rewritten(language, text, ...ops)).text
