/** What the factories have in common: their tools, like pi's own, have an `execute` that other tools can delegate to. */
import type { Static, TSchema } from "@sinclair/typebox"
import { orAborted } from "../../../io/or-aborted.ts"
import type { ToolContent } from "../../../output/content.ts"
import type { AgentToolResult, AgentToolUpdateCallback } from "../../custom-tool.ts"
import type { ExtensionContext, ToolDefinition } from "../../extension.ts"
import { DEFAULT_MAX_BYTES, formatSize, type TruncationResult, truncateHead } from "../truncation.ts"

/** The options of a factory. */
export interface FactoryOptions<Operations> {
  /** How the tool accesses files. Default: this machine's. */
  readonly operations?: Operations
}

export interface FactoryTool<TParams extends TSchema, TDetails> extends ToolDefinition<TParams, TDetails> {
  label: string
  /** In pi's order. The context tells what the model accepts; without one everything is returned. */
  execute(
    toolCallId: string,
    params: Static<TParams>,
    signal?: AbortSignal,
    onUpdate?: AgentToolUpdateCallback<TDetails>,
    ctx?: ExtensionContext,
  ): Promise<AgentToolResult<TDetails>>
}

interface Described<TParams extends TSchema, TDetails>
  extends Omit<FactoryTool<TParams, TDetails>, "label" | "execute"> {
  run(
    params: Static<TParams>,
    signal: AbortSignal | undefined,
    ctx: ExtensionContext | undefined,
  ): Promise<AgentToolResult<TDetails>>
}

const aborted = (): Error => new Error("Operation aborted")

/** Makes a tool without updates. A call rejects at once when it is aborted; `run` gets the same signal and ends by itself. */
export const factoryTool = <TParams extends TSchema, TDetails>({
  run,
  ...tool
}: Described<TParams, TDetails>): FactoryTool<TParams, TDetails> => ({
  ...tool,
  label: tool.name,
  execute: async (_toolCallId, params, signal, _onUpdate, ctx) => {
    if (signal?.aborted === true) throw aborted()
    return orAborted(run(params, signal, ctx), signal, aborted)
  },
})

export const textContent = (text: string): Array<ToolContent> => [{ type: "text", text }]

/** A number from a model, such as of lines or results, as an integer of at least `min`. */
export const wholeNumber = (value: number | undefined, fallback: number, min: number): number =>
  Math.max(min, Math.floor(value ?? fallback))

/** Throws for a file that could not be changed: only the code of a system error, whose message names files unknown to the model. */
export const failingTo =
  (action: "edit" | "write", path: string) =>
  (cause: unknown): never => {
    const code = (cause as { code?: unknown } | null)?.code
    const message = cause instanceof Error ? cause.message : String(cause)
    const reason = code === undefined ? message.replace(/\.$/, "") : `Error code: ${code}`
    throw new Error(`Could not ${action} file: ${path}. ${reason}.`, { cause })
  }

export interface ListDetails {
  readonly truncation?: TruncationResult
}

/**
 * The result of a search or a listing: its rows, cut to 50 KB, and in brackets what was omitted and how to get it. `notices`: what
 * was already omitted; `details`: the same for hosts.
 */
export const limitedList = <TDetails extends object>(
  rows: ReadonlyArray<string>,
  notices: ReadonlyArray<string>,
  details: TDetails,
): AgentToolResult<(TDetails & ListDetails) | undefined> => {
  const truncation = truncateHead(rows.join("\n"), { maxLines: Number.MAX_SAFE_INTEGER })
  const all = truncation.truncated ? [...notices, `${formatSize(DEFAULT_MAX_BYTES)} limit reached`] : notices
  const text = all.length === 0 ? truncation.content : `${truncation.content}\n\n[${all.join(". ")}]`
  const known = { ...details, ...(truncation.truncated && { truncation }) }
  return { content: textContent(text), details: Object.keys(known).length > 0 ? known : undefined }
}
