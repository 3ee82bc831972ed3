/** The operations of a structural edit, compiled for a language, and the plan that its preview leaves for its apply. */

import { createHash } from "node:crypto"
import type { CallMemory } from "../model/handler.ts"
import type { Grammar } from "../structural/grammar.ts"
import { compilePattern } from "../structural/pattern.ts"
import type { Replacement } from "../structural/rewrite.ts"
import type { SourceFile } from "../structural/source-files.ts"
import { StructuralError } from "../structural/structural-error.ts"
import { compileTemplate } from "../structural/template.ts"
import type { FileMatches, StructuralDetails } from "./structural-report.ts"
import type { ScanOptions } from "./structural-scan.ts"

/** One replacement: a pattern, and the code that replaces it. */
export interface StructuralOp {
  /** A piece of code; `$X` matches one node, `$$$X` any number. */
  readonly pattern: string
  /** The new code, which can use what the pattern captures. */
  readonly replacement: string
}

/** Which code to replace, and where. */
export interface StructuralEditOptions extends ScanOptions {
  /** Applied in order, each to the result of the earlier ones. */
  readonly ops: ReadonlyArray<StructuralOp>
  /** Pass the same object to PreviewReplacements and ApplyReplacements. */
  readonly plan: ReplacementPlan
}

/** The `details` of both handlers' outputs. */
export interface ReplacementDetails extends StructuralDetails {
  /** Unified, with LF endings, for as many files as fit. */
  readonly diff: string
}

export interface PlannedFile extends SourceFile, FileMatches {
  readonly digest: string
  /** Other names of the same file (hard links) among the paths: they get the same content. */
  readonly others: ReadonlyArray<Pick<SourceFile, "path" | "real">>
}

/** The key of the plan in a call's memory: one plan per pipeline. */
const planKey = "replacementPlan.files"

/** The files of a preview, stored in the call's memory. Digests only, because many previews can be waiting. */
export class ReplacementPlan {
  keep(memory: CallMemory, files: ReadonlyArray<PlannedFile>): void {
    memory[planKey] = files
  }

  files(memory: CallMemory): ReadonlyArray<PlannedFile> {
    return (memory[planKey] as ReadonlyArray<PlannedFile> | undefined) ?? []
  }
}

/** All names of the files in a preview; undefined before there is one. */
export const plannedPaths = (memory: CallMemory | undefined): Array<string> | undefined => {
  const files = memory?.[planKey] as ReadonlyArray<PlannedFile> | undefined
  return files?.flatMap(({ path, others }) => [path, ...others.map((other) => other.path)])
}

export const digestOf = (content: Uint8Array): string => createHash("sha256").update(content).digest("base64")

/** Compiles the ops for each language. An op that applies to none of them is a mistake. */
export class OpCompiler {
  private readonly ops: ReadonlyArray<StructuralOp>
  private readonly placed = new Set<number>()
  private readonly failures = new Map<number, StructuralError>()

  constructor(ops: ReadonlyArray<StructuralOp>) {
    this.ops = ops
  }

  /** The replacements by the index of their op. Throws if none applies to the language. */
  compile(grammar: Grammar): Array<Replacement | undefined> {
    const compiled = this.ops.map((op, index) => this.compileOne(grammar, op, index))
    if (compiled.every((each) => each === undefined)) throw this.failures.get(0)
    return compiled
  }

  expectAllPlaced(): void {
    for (const [index, failure] of this.failures) if (!this.placed.has(index)) throw failure
  }

  private compileOne(
    grammar: Grammar,
    { pattern: source, replacement }: StructuralOp,
    index: number,
  ): Replacement | undefined {
    try {
      const pattern = compilePattern(grammar, source)
      const template = compileTemplate(replacement, pattern)
      this.placed.add(index)
      return { pattern, template }
    } catch (cause) {
      if (!(cause instanceof StructuralError)) throw cause
      const message = this.ops.length === 1 ? cause.message : `Op ${index + 1}: ${cause.message}`
      this.failures.set(index, new StructuralError(message, { cause }))
      return undefined
    }
  }
}
