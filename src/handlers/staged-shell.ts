/** Runs a command line over a view of the workspace, and applies its changes later: the command does not run again. */
import * as Effect from "effect/Effect"
import type { Machine } from "../io/machine.ts"
import type { StagedRun, Staging } from "../io/staging.ts"
import { type EffectHandler, type HandlerContext, type HandlerFunction, handler } from "../model/handler.ts"
import { Step, ToolError } from "../model/step.ts"
import { toOutput } from "../output/output.ts"
import { abortable } from "./abortable.ts"
import { changing } from "./file-changes.ts"
import { type ShellDetails, type ShellOptions, shellStep } from "./shell.ts"
import { stagedPreview } from "./staged-preview.ts"

/** A machine that can stage. */
export type StagingMachine = Machine & { readonly staging: Staging }

/** The `details` of its output, in addition to those of `Shell`. */
export interface StagedDetails extends ShellDetails {
  readonly staged: { readonly id: string; readonly folder: string; readonly changes: number }
}

/** Turns a StagingError, whose message is a sentence for the model, into a ToolError. */
const asToolError = (cause: unknown): unknown =>
  cause instanceof Error && cause.name === "StagingError" ? new ToolError(cause.message, { cause }) : cause

const stagedIn = ({ output }: HandlerContext): StagedDetails["staged"] | undefined =>
  (output?.details as Partial<StagedDetails> | undefined)?.staged

const preview = async (step: Step, run: StagedRun, folder: string): Promise<Step> => {
  if (step._tag !== "Output") return step
  const output = toOutput(step.output)!
  const details: StagedDetails = {
    ...(output.details as ShellDetails),
    staged: { id: run.id, folder, changes: run.changes.length },
  }
  const text = await stagedPreview(run, folder)
  return Step.Output({ ...output, content: [...output.content, { type: "text", text }], details })
}

/** A handler that must not be retried. */
const once = (name: string, call: HandlerFunction): EffectHandler => handler(name, call, { retry: "never" })

/**
 * Outputs what `Shell` does, then which files the command would create, change and delete, with a diff. Changes nothing in
 * the workspace: `ApplyStaged` does that. The view covers the executor's `workspace`, or else its `cwd`.
 */
export const StageShell = (options: ShellOptions, machine: StagingMachine): EffectHandler =>
  once("StageShell", (context) => {
    const { staging, files } = machine
    let staged: StagedRun | undefined
    const drop = Effect.promise(async () => {
      if (staged !== undefined) await staging.discard(staged.id)
    })
    const work = Effect.gen(function* () {
      const folder = yield* Effect.promise(() => files.resolveLinks(context.workspace ?? context.cwd))
      const processes: Machine["processes"] = {
        run: async (process) => {
          try {
            staged = await staging.run({ ...process, folder })
            return staged
          } catch (cause) {
            throw asToolError(cause)
          }
        },
      }
      const step = yield* shellStep(context, options, { ...machine, processes })
      if (staged !== undefined && step._tag === "Output") {
        const run = staged
        return yield* Effect.promise(() => preview(step, run, folder))
      }
      yield* drop
      return step
    })
    return Effect.onInterrupt(work, () => drop)
  })

/** Makes the changes that `StageShell` showed. If something has changed since, it makes none, and returns an Error. */
export const ApplyStaged = ({ staging, files }: StagingMachine): EffectHandler =>
  once("ApplyStaged", (context) => {
    const staged = stagedIn(context)
    if (staged === undefined) return Step.Error("There is nothing to apply: run the command again.")
    const notes: Array<string> = []
    const tell = (note: string) => notes.push(`[sandbox] ${note}`)
    // Takes no signal, because half of the changes would be useless: a cancel waits for the end.
    const apply = async (): Promise<number> => {
      const paths = await staging.paths?.(staged.id)
      const work = () => staging.apply(staged.id, tell)
      if (paths !== undefined)
        return changing(
          context,
          files,
          paths.map((path) => ({ path })),
          work,
        )
      const count = await work()
      context.changes?.unknown(`a command over ${staged.folder}, whose machine names no paths,`)
      return count
    }
    return Effect.matchEffect(abortable(apply), {
      onSuccess: (count) =>
        Effect.succeed(
          Step.Output(
            [`${count} ${count === 1 ? "change" : "changes"} made in ${staged.folder}.`, ...notes].join("\n"),
          ),
        ),
      onFailure: (cause) => {
        const error = asToolError(cause)
        return error instanceof ToolError ? Effect.succeed(Step.Error(error.message)) : Effect.fail(cause)
      },
    })
  })

/** Discards staged changes that were not applied. For the end of the pipeline. */
export const DropStaged = ({ staging }: StagingMachine): EffectHandler =>
  handler("DropStaged", async (context) => {
    const staged = stagedIn(context)
    if (staged !== undefined) await staging.discard(staged.id)
    return Step.Continue
  })
