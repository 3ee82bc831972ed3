/** The instructions of a handler to the interpreter. Every handler returns a Step, and nothing else. */
import type { Input } from "effect/Duration"
import { type GivenOutput, type ToolOutput, withContent } from "../output/output.ts"
import type { FailureReason } from "./event.ts"
import { expectSpelled } from "./got.ts"
import type { HostEffect } from "./host-effect.ts"

/** A duration as Effect reads it: `"5 seconds"`, a Duration; a number is milliseconds. */
export type DurationInput = Input

/** The value that a handler returns, by `_tag`; created with the functions of the same name. */
export type Step =
  | { readonly _tag: "Continue" }
  | { readonly _tag: "Output"; readonly output: string | ToolOutput }
  | { readonly _tag: "Delta"; readonly content: string; readonly partial?: unknown }
  | { readonly _tag: "Delegate"; readonly effect: HostEffect; readonly timeout?: DurationInput }
  | { readonly _tag: "AwaitApproval"; readonly label?: string; readonly person?: boolean }
  | {
      readonly _tag: "Error"
      readonly message: string
      readonly cause?: unknown
      readonly output?: string | ToolOutput
      readonly reason?: FailureReason
    }

/** The options of an Error step. */
export interface ErrorOptions {
  /** For the host's logs, never for the model. */
  readonly cause?: unknown
  /** The output that the model gets after the message, images included. */
  readonly output?: GivenOutput
  /** `timeout`: something that the handler waited for took too long. Default `failed`. */
  readonly reason?: FailureReason
}

/**
 * A gate that a handler opens is not composed again after a restart, so it cannot have the options that only a pipeline's
 * gate supports.
 */
const expectOfStep = (options: object): void => {
  expectSpelled("`Step.AwaitApproval`", options, ["label", "person"])
  for (const name of ["approvers", "quorum", "timeout", "warn", "onTimeout"]) {
    if (name in options)
      throw new TypeError(
        `\`Step.AwaitApproval\` has no option \`${name}\`: use \`awaitApproval\` of a pipeline`,
      )
  }
}

/** Creates the steps that handlers return. */
export const Step = {
  /** Continue without output. */
  Continue: { _tag: "Continue" } as Step,
  /** Set the output and continue. */
  Output: (output: GivenOutput): Step => ({ _tag: "Output", output: withContent(output) }),
  /** Stream something and continue. `partial` is structured progress for the host. */
  Delta: (content: string, options?: { readonly partial?: unknown }): Step => ({
    _tag: "Delta",
    content,
    ...options,
  }),
  /** Ask the host. Its answer, if any, becomes the output; a failed answer is an Error. */
  Delegate: <Effect extends HostEffect | { readonly _tag: string }>(
    effect: Effect,
    options?: { readonly timeout?: DurationInput },
  ): Step => ({
    _tag: "Delegate",
    effect: effect as HostEffect,
    ...options,
  }),
  /** Wait for a decision. Pipelines use `.awaitApproval({ label?, person? })`. */
  AwaitApproval: (options?: { readonly label?: string; readonly person?: boolean }): Step => {
    if (options) expectOfStep(options)
    return { _tag: "AwaitApproval", ...options }
  },
  /** Abort: the rest is skipped, finally handlers run. The cause goes to the host, never to the model. */
  Error: (message: string, options?: ErrorOptions): Step => ({
    _tag: "Error",
    message,
    ...(options as Omit<ErrorOptions, "output">),
    ...(options?.output !== undefined && { output: withContent(options.output) }),
  }),
}

/** Whether a value has the tag of a step. Its other fields are checked when they are read. */
export const isStep = (value: unknown): value is Step => {
  switch ((value as { _tag?: unknown } | null | undefined)?._tag) {
    case "Continue":
    case "Output":
    case "Delta":
    case "Delegate":
    case "AwaitApproval":
    case "Error":
      return true
    default:
      return false
  }
}

/**
 * A failure whose message reaches the model unchanged. The messages of other Errors reach the model too; only when an
 * action is applied do they get the prefix `Apply failed: `.
 */
export class ToolError extends Error {
  override readonly name = "ToolError"
  /** Why the call fails, if for one of these reasons. */
  readonly reason: FailureReason

  constructor(message: string, options: { readonly cause?: unknown; readonly reason?: FailureReason } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined)
    this.reason = options.reason ?? "failed"
  }
}

/** Whether a thrown value is a ToolError. Never throws, although a proxy may throw when its prototype is read. */
export const isToolError = (error: unknown): error is ToolError => {
  try {
    return error instanceof ToolError
  } catch {
    return false
  }
}
