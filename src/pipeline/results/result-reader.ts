/** The tool `read_result` as the executor implements it. */

import { type EffectHandler, handler } from "../../model/handler.ts"
import { pipeline } from "../../model/pipeline.ts"
import { Step } from "../../model/step.ts"
import { defineTool, type Tool } from "../../model/tool.ts"
import { defaultOutputBytes } from "../../output/cut-blocks.ts"
import {
  type ReadResultParams,
  readPart,
  readResultDescription,
  readResultName,
  readResultParameters,
} from "../../output/read-result.ts"

/** Reads the full text of the result of a call of this agent, if it was cut and is kept. */
export type WholeResultOf = (
  agentId: string,
  callId: string,
) => Buffer | string | undefined | Promise<string | undefined>

/** Makes the tool `read_result`. `maxBytes`: the executor's limit for results. */
export const makeReadResultTool = (wholeOf: WholeResultOf, maxBytes: number | undefined): Tool<unknown> =>
  defineTool({
    name: readResultName,
    label: "Read result",
    description: readResultDescription,
    parameters: readResultParameters,
    primaryParam: "call_id",
    background: false,
    hidden: true,
    kind: "read",
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    // The handler respects the limit itself, so its output must not be cut again.
    maxOutputBytes: false,
    compose: (params) =>
      pipeline().andThen(readResult(wholeOf, params as unknown as ReadResultParams, maxBytes)),
  }) as Tool<unknown>

const notKept = (callId: string): string =>
  `No result of call ${JSON.stringify(callId)} is kept: it was not cut, is not yours, or was forgotten for later ones. Make the call again if you need it.`

const readResult = (
  wholeOf: WholeResultOf,
  params: ReadResultParams,
  maxBytes = defaultOutputBytes,
): EffectHandler =>
  handler("ReadResult", async ({ call }) => {
    const { call_id: callId, offset = 0 } = params
    const text = await wholeOf(call.agentId, callId)
    if (text === undefined) return Step.Error(notKept(callId))
    const whole = typeof text === "string" ? Buffer.from(text) : text
    const part = readPart(whole, params, Number.isFinite(maxBytes) ? maxBytes : defaultOutputBytes)
    if (part !== undefined) return Step.Output(part)
    return Step.Error(
      `The result of call ${JSON.stringify(callId)} has ${whole.length} bytes: offset ${offset} is past its end.`,
    )
  })
