/** The frame of structural searches and edits: finds the files, compiles for their languages, and visits the texts. */

import { type Files, localFiles } from "../io/files.ts"
import { type EffectHandler, type HandlerContext, handler } from "../model/handler.ts"
import { Step, ToolError } from "../model/step.ts"
import type { Grammar, GrammarSource } from "../structural/grammar.ts"
import { installedGrammars } from "../structural/installed-grammars.ts"
import type { Language } from "../structural/language.ts"
import { findSourceFiles, type SourceFile } from "../structural/source-files.ts"
import { readSource, type SourceText } from "../structural/source-text.ts"
import { StructuralError } from "../structural/structural-error.ts"
import { plural } from "../text/plural.ts"
import { abortable } from "./abortable.ts"
import { locate } from "./location.ts"

/** What structural handlers work on. */
export interface Structure {
  readonly files: Files
  readonly grammars: GrammarSource
}

/** This machine's files, and the installed grammars. */
export const localStructure: Structure = { files: localFiles, grammars: installedGrammars }

/** Where structural handlers look. */
export interface ScanOptions {
  /** Files, folders and globs, relative to the executor's `cwd`. */
  readonly paths: ReadonlyArray<string>
  /** A language's name, or an extension of its files. Default: by extension. */
  readonly lang?: string | undefined
}

export interface Scan<A, R extends { readonly matches: number }> extends ScanOptions {
  /** Throws a StructuralError if there is nothing to search for in a language. */
  readonly compile: (grammar: Grammar) => A
  /** Called for several files at a time; resolves with undefined if nothing was found. */
  readonly visit: (source: SourceText, grammar: Grammar, compiled: A) => Promise<R | undefined>
  /** Called with the results one by one, in the order of the files. */
  readonly take: (file: SourceFile, source: SourceText, result: R) => void | Promise<void>
}

export interface ScanReport {
  /** How many files were read, by language. */
  readonly searched: ReadonlyMap<string, number>
  /** Files without source text. */
  readonly passedOver: ReadonlyArray<{ readonly path: string; readonly reason: string }>
  /** How many files were not read because of a rule. */
  readonly denied: number
  /** Skipped languages, one sentence each. */
  readonly leftOut: ReadonlyArray<string>
}

/** How many files are read and parsed at a time. */
const batchSize = 8
/** Progress is reported after this many files, or bytes. */
const progressFiles = 100
const progressBytes = 2_000_000

interface Compiled<A> {
  readonly grammar: Grammar
  readonly compiled: A
}

/** Only a count: the rule protects the names too. */
export const deniedSentence = (denied: number): string =>
  `Left out by a rule, unread: ${plural(denied, "file")}.`

/** Rejects if no language is left. */
const compileAll = async <A>(
  { grammars }: Structure,
  found: ReadonlyArray<SourceFile>,
  compile: (grammar: Grammar) => A,
): Promise<{ readonly ready: ReadonlyMap<Language, Compiled<A>>; readonly leftOut: Array<string> }> => {
  const ready = new Map<Language, Compiled<A>>()
  const failures = new Set<string>()
  const leftOut: Array<string> = []
  for (const language of new Set(found.map((file) => file.language))) {
    try {
      const grammar = await grammars.of(language)
      ready.set(language, { grammar, compiled: compile(grammar) })
    } catch (cause) {
      if (!(cause instanceof StructuralError)) throw cause
      const count = found.filter((file) => file.language === language).length
      failures.add(cause.message)
      leftOut.push(`Not searched: ${plural(count, `${language.name} file`)}. ${cause.message}`)
    }
  }
  if (ready.size === 0) throw new StructuralError([...failures].join("\n"))
  return { ready, leftOut }
}

const readOrReason = async (
  files: Files,
  { real }: SourceFile,
): Promise<SourceText | { readonly reason: string }> => {
  try {
    return await readSource(files, real)
  } catch (cause) {
    return { reason: `cannot be read: ${(cause as Error).message}` }
  }
}

const inFile = (path: string, cause: unknown): unknown =>
  cause instanceof StructuralError ? new StructuralError(`${path}: ${cause.message}`, { cause }) : cause

/** Rejects with a StructuralError, a ToolError, or the signal's reason. */
export const scan = async <A, R extends { readonly matches: number }>(
  structure: Structure,
  context: HandlerContext,
  signal: AbortSignal,
  { paths, lang, compile, visit, take }: Scan<A, R>,
): Promise<ScanReport> => {
  const { files } = structure
  const { cwd, denies } = context
  const find = async (path: string) => (await locate(files, context, path)).real
  const passedOver: Array<{ readonly path: string; readonly reason: string }> = []
  const passOver = (path: string, reason: string) => passedOver.push({ path, reason })
  const query = { paths, lang, cwd, locate: find, signal, passOver, denies }
  const { found, denied } = await findSourceFiles(files, query)
  if (found.length === 0) {
    const what = `There are no source files to search in ${paths.join(", ")}.`
    throw new StructuralError(denied === 0 ? `${what} Check the paths.` : `${what} ${deniedSentence(denied)}`)
  }
  const { ready, leftOut } = await compileAll(structure, found, compile)
  const wanted = found.filter(({ language }) => ready.has(language))
  const searched = new Map<string, number>()
  let matches = 0
  let told = { files: 0, bytes: 0 }
  let bytes = 0

  const visitOne = async (file: SourceFile) => {
    signal.throwIfAborted()
    const source = await readOrReason(files, file)
    if ("reason" in source) return { file, source, result: undefined }
    const { grammar, compiled } = ready.get(file.language)!
    try {
      return { file, source, result: await visit(source, grammar, compiled) }
    } catch (cause) {
      throw inFile(file.path, cause)
    }
  }

  for (let at = 0; at < wanted.length; at += batchSize) {
    const batch = wanted.slice(at, at + batchSize)
    for (const { file, source, result } of await Promise.all(batch.map(visitOne))) {
      if ("reason" in source) {
        passOver(file.path, source.reason)
        continue
      }
      const { name } = file.language
      searched.set(name, (searched.get(name) ?? 0) + 1)
      bytes += source.bytes.length
      matches += result?.matches ?? 0
      if (result !== undefined) await take(file, source, result)
    }
    signal.throwIfAborted()
    const done = at + batch.length
    if (done - told.files >= progressFiles || bytes - told.bytes >= progressBytes) {
      told = { files: done, bytes }
      await context.delta(
        `Searched ${done} of ${plural(wanted.length, "file")}, ${plural(matches, "match", "matches")}\n`,
      )
    }
  }
  return { searched, passedOver, leftOut, denied }
}

/** Makes a handler that supports interruption, and describes every failure. */
export const structuralHandler = (
  name: string,
  work: (context: HandlerContext, signal: AbortSignal) => Promise<Step>,
  options?: Pick<EffectHandler, "retry">,
): EffectHandler => {
  const attempt = async (context: HandlerContext, signal: AbortSignal): Promise<Step> => {
    try {
      return await work(context, signal)
    } catch (cause) {
      if (cause instanceof StructuralError) {
        return Step.Error(cause.message, cause.cause === undefined ? undefined : { cause: cause.cause })
      }
      if (cause instanceof ToolError) return Step.Error(cause.message)
      return Step.Error(`The files cannot be searched: ${(cause as Error).message}`, { cause })
    }
  }
  return handler(name, (context) => abortable((signal) => attempt(context, signal)), options)
}
