/** Applies a previewed structural edit, in all of its files or in none. */

import type { EffectHandler, HandlerContext } from "../model/handler.ts"
import { Step } from "../model/step.ts"
import { textOutput } from "../output/output.ts"
import type { Grammar } from "../structural/grammar.ts"
import type { Language } from "../structural/language.ts"
import { type FileReplacement, replaceFiles, staleMessage } from "../structural/replace-files.ts"
import type { Replacement } from "../structural/rewrite.ts"
import { rewriteSource } from "../structural/rewrite-source.ts"
import { readSource, type SourceText, withText } from "../structural/source-text.ts"
import { StructuralError } from "../structural/structural-error.ts"
import { changing } from "./file-changes.ts"
import { locate } from "./location.ts"
import {
  digestOf,
  OpCompiler,
  type PlannedFile,
  type StructuralEditOptions,
  type StructuralOp,
} from "./structural-ops.ts"
import { changesOf, fileLines } from "./structural-report.ts"
import { localStructure, type Structure, structuralHandler } from "./structural-scan.ts"

interface Compiled {
  readonly grammar: Grammar
  readonly replacements: ReadonlyArray<Replacement | undefined>
}

/** Compiles the ops once for each language. */
const compilerOf = ({ grammars }: Structure, ops: ReadonlyArray<StructuralOp>) => {
  const compiler = new OpCompiler(ops)
  const done = new Map<Language, Promise<Compiled>>()
  const compile = async (language: Language): Promise<Compiled> => {
    const grammar = await grammars.of(language)
    return { grammar, replacements: compiler.compile(grammar) }
  }
  return (language: Language): Promise<Compiled> => {
    const compiled = done.get(language) ?? compile(language)
    done.set(language, compiled)
    return compiled
  }
}

const deniedSince = (path: string): string => `A rule denies ${path} since the preview. Nothing was written.`

/** How many files are read and parsed at a time. */
const batchSize = 8

/**
 * The new contents of the plan's files. Rejects if a file has changed since the preview: because the same text gives the
 * same result, only digests have to be kept.
 */
const replacementsOf = async (
  { ops }: StructuralEditOptions,
  planned: ReadonlyArray<PlannedFile>,
  structure: Structure,
  context: HandlerContext,
  signal: AbortSignal,
): Promise<Array<FileReplacement>> => {
  const { files } = structure
  const compiled = compilerOf(structure, ops)
  const replacements: Array<FileReplacement> = []
  const stale: Array<string> = []

  const read = async ({ path, real, others, digest }: PlannedFile): Promise<SourceText | undefined> => {
    for (const name of [{ path, real }, ...others]) {
      // A rule can have been added since the preview, and an earlier approval passes the gate without it.
      if (context.denies(name.real)) throw new StructuralError(deniedSince(name.path))
      if ((await locate(files, context, name.path)).real !== name.real) return undefined
    }
    const source = await readSource(files, real).catch(() => undefined)
    return source === undefined || "reason" in source || digestOf(source.bytes) !== digest
      ? undefined
      : source
  }
  const replacementOf = async (file: PlannedFile): Promise<FileReplacement | undefined> => {
    const source = await read(file)
    if (source === undefined) return undefined
    const { grammar, replacements: all } = await compiled(file.language)
    const { text } = await rewriteSource(grammar, all, source.text)
    const others = file.others.map((other) => other.real)
    const after = withText(source, text)
    return { path: file.path, real: file.real, others, before: source.bytes, after }
  }

  for (let at = 0; at < planned.length; at += batchSize) {
    signal.throwIfAborted()
    const batch = planned.slice(at, at + batchSize)
    for (const [index, replacement] of (await Promise.all(batch.map(replacementOf))).entries()) {
      if (replacement === undefined) stale.push(batch[index]!.path)
      else replacements.push(replacement)
    }
  }
  if (stale.length > 0) throw new StructuralError(`${staleMessage(stale)} Nothing was written.`)
  return replacements
}

/**
 * Writes the previewed changes, all files or none. A file that has changed since the preview is an Error, and no file is
 * written.
 */
export const ApplyReplacements = (
  options: StructuralEditOptions,
  structure: Structure = localStructure,
): EffectHandler => {
  const apply: Parameters<typeof structuralHandler>[1] = async (context, signal) => {
    const files = options.plan.files(context.memory)
    const replacements = await replacementsOf(options, files, structure, context, signal)
    const written = replacements.flatMap(({ real, others = [], before, after }) =>
      [real, ...others].map((path) => ({ path, before, after })),
    )
    await changing(context, structure.files, written, () =>
      replaceFiles(structure.files, replacements, signal),
    )
    const text = `Replaced ${changesOf(files)}.\n${fileLines(files)}`
    return Step.Output({ ...textOutput(text), details: context.output?.details })
  }
  return structuralHandler("ApplyReplacements", apply, { retry: "never" })
}
