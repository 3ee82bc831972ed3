/** Shows what a structural edit would change. It changes nothing. */
import type { Files } from "../io/files.ts"
import type { EffectHandler } from "../model/handler.ts"
import { Step } from "../model/step.ts"
import { type ToolOutput, textOutput } from "../output/output.ts"
import { expectParses } from "../structural/faults.ts"
import { noMatches } from "../structural/rewrite.ts"
import { type RewrittenSource, rewriteSource, sumOf } from "../structural/rewrite-source.ts"
import type { SourceFile } from "../structural/source-files.ts"
import type { SourceText } from "../structural/source-text.ts"
import { StructuralError } from "../structural/structural-error.ts"
import { plural } from "../text/plural.ts"
import {
  digestOf,
  OpCompiler,
  type PlannedFile,
  type ReplacementDetails,
  type StructuralEditOptions,
  type StructuralOp,
} from "./structural-ops.ts"
import {
  BoundedSections,
  changesOf,
  countMatches,
  detailsOf,
  fileLines,
  named,
  omissions,
  searchedLine,
  shortCode,
} from "./structural-report.ts"
import {
  localStructure,
  type ScanReport,
  type Structure,
  scan,
  structuralHandler,
} from "./structural-scan.ts"
import { withUnixEndings } from "./text-edits.ts"
import { unifiedDiff } from "./unified-diff.ts"

/** Maximum size of all changed files: applying them keeps their old and new contents in memory. */
const maxChangedBytes = 100_000_000

interface SharedFile {
  readonly path: string
  readonly names: number
  readonly others: Array<{ readonly path: string; readonly real: string }>
}

/** The results of a preview so far. */
class Changes {
  readonly planned: Array<PlannedFile> = []
  /** Files with several names, by their identity. */
  private readonly shared = new Map<string, SharedFile>()
  private readonly diffs = new BoundedSections()
  private readonly ops: ReadonlyArray<StructuralOp>
  private readonly byOp: Array<number>
  private readonly files: Files
  private tally = noMatches
  /** Matches in files that stay as they are. */
  private unchanged = 0
  private bytes = 0

  constructor(ops: ReadonlyArray<StructuralOp>, files: Files) {
    this.ops = ops
    this.byOp = ops.map(() => 0)
    this.files = files
  }

  async add(
    file: SourceFile,
    { bytes, text: before }: SourceText,
    rewritten: RewrittenSource,
  ): Promise<void> {
    const { text: after, matches } = rewritten
    const others = after === before ? [] : await this.othersOf(file)
    // The file is already in the plan, under another name.
    if (others === undefined) return
    this.tally = sumOf(this.tally, rewritten)
    for (const [index, count] of rewritten.byReplacement.entries()) this.byOp[index]! += count
    if (after === before) {
      this.unchanged += matches
      return
    }
    this.bytes += bytes.length
    if (this.bytes > maxChangedBytes) {
      throw new StructuralError(
        `More than ${maxChangedBytes / 1e6} MB of files would change at once. Name fewer files in paths.`,
      )
    }
    if (!(await this.files.isWritable(file.real))) {
      throw new StructuralError(
        `${file.path} is not writable. Change its permissions, or leave it out of paths.`,
      )
    }
    this.planned.push({ ...file, matches, others, digest: digestOf(bytes) })
    // Beyond the bound, a diff would only be counted.
    this.diffs.add(
      this.diffs.isFull ? "" : await unifiedDiff(file.path, withUnixEndings(before), withUnixEndings(after)),
    )
  }

  /** Returns the list for the further names of a new file; undefined for another name of a known file. */
  private async othersOf({ path, real }: SourceFile): Promise<PlannedFile["others"] | undefined> {
    const shared = (await this.files.stat(real))?.shared
    if (shared === undefined) return []
    const known = this.shared.get(shared.id)
    if (known !== undefined) {
      known.others.push({ path, real })
      return undefined
    }
    const others: SharedFile["others"] = []
    this.shared.set(shared.id, { path, names: shared.names, others })
    return others
  }

  /** Notes about files with several names. */
  private sharing(): Array<string> {
    return [...this.shared.values()].flatMap(({ path, names, others }) => {
      const same = others.map((other) => other.path)
      const left = names - 1 - same.length
      return [
        ...(same.length > 0 ? [`The same file as ${path}, changed with it: ${named(same)}.`] : []),
        ...(left > 0
          ? [
              `${path} has ${plural(left, "other name")} (hard links) outside of the paths, with the former content from then on.`,
            ]
          : []),
      ]
    })
  }

  /** Throws if nothing would change. */
  output(report: ScanReport): ToolOutput {
    if (this.planned.length === 0) throw this.nothingToDo(report)
    const head = [
      `Would replace ${changesOf(this.planned)}. ${searchedLine(report)}`,
      fileLines(this.planned),
      ...this.sharing(),
      ...this.remarks(),
      ...this.losses(),
      ...omissions(report),
      "\n",
    ].join("\n")
    const diff = this.diffs.below(head, "changed files")
    const details: ReplacementDetails = { ...detailsOf(this.planned), diff }
    return { ...textOutput(head + diff), details }
  }

  private remarks(): Array<string> {
    return this.ops.flatMap(({ pattern }, index) =>
      this.byOp[index] === 0 ? [`Op ${index + 1} matches nothing: ${shortCode(pattern)}`] : [],
    )
  }

  /** Notes about effects that are easy to miss in the diff. */
  private losses(): Array<string> {
    const { lost, unclear, comments } = this.tally
    const sentences: Array<readonly [count: number, sentence: string]> = [
      [lost, `Not replaced: ${countMatches(lost)} that overlapped with others.`],
      [unclear, `Not replaced: ${countMatches(unclear)} with code inside that does not parse.`],
      [comments, `Comments inside of the replaced code that go with it: ${comments}.`],
    ]
    return sentences.flatMap(([count, sentence]) => (count > 0 ? [sentence] : []))
  }

  private nothingToDo(report: ScanReport): StructuralError {
    const patterns = this.ops.map(({ pattern }) => shortCode(pattern)).join(", nor ")
    const sentences =
      this.unchanged > 0
        ? [
            `The code of ${countMatches(this.unchanged)} reads like the replacement already. Nothing would change.`,
          ]
        : [
            `Nothing matches ${patterns}.`,
            searchedLine(report),
            "Nothing would change. Try the pattern with ast_grep: it must be one complete piece of code, as it stands in a file.",
          ]
    const lines = [sentences.join(" "), ...this.losses(), ...omissions(report)]
    return new StructuralError(lines.join("\n"))
  }
}

/**
 * Outputs the diff of the replacements, with counts per file. It is an Error if nothing would change, or a result would not
 * parse.
 */
export const PreviewReplacements = (
  { ops, paths, lang, plan }: StructuralEditOptions,
  structure: Structure = localStructure,
): EffectHandler =>
  structuralHandler("PreviewReplacements", async (context, signal) => {
    const compiler = new OpCompiler(ops)
    const changes = new Changes(ops, structure.files)
    const report = await scan(structure, context, signal, {
      paths,
      lang,
      compile: (grammar) => compiler.compile(grammar),
      visit: async ({ text }, grammar, replacements) => {
        const rewritten = await rewriteSource(grammar, replacements, text)
        const { matches, unclear } = rewritten
        if (matches + unclear === 0) return undefined
        await expectParses(grammar, text, rewritten.text)
        return { matches, rewritten }
      },
      take: (file, source, { rewritten }) => changes.add(file, source, rewritten),
    })
    compiler.expectAllPlaced()
    const output = changes.output(report)
    plan.keep(context.memory, changes.planned)
    return Step.Output(output)
  })
