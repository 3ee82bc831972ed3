/** A question of a server to its user (elicitation), which the host of the asking call answers as an effect `McpInput`. */
import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/client"
import type { HandlerContext } from "../../model/handler.ts"
import { compileOutput } from "../../schema/output-check.ts"
import { isPlainObject } from "../../schema/plain-object.ts"
import { messageOf } from "../../text/message-of.ts"
import { visibleText } from "../../text/visible-text.ts"

const key = "answer"

/**
 * Asks on behalf of a call to the server. Asks once more if an answer does not fit the form. If nobody answers, the server
 * receives `cancel`, and people and the model read why.
 */
export const askHost = async (
  server: string,
  { _meta, ...form }: ElicitRequestFormParams,
  { delegate, delta, signal }: HandlerContext,
): Promise<ElicitResult> => {
  const faultsOf = compileOutput(form.requestedSchema, undefined)
  const asked = `The MCP server ${server} asks: ${visibleText(form.message)}`
  let faults: ReadonlyArray<string> = []
  try {
    for (let tries = 0; tries < 2; tries++) {
      const message =
        faults.length === 0 ? asked : `The answer does not fit: ${faults.join("; ")}.\n\n${asked}`
      const request = { method: "elicitation/create", params: { ...form, mode: "form", message } }
      // No time limit for a person: the call's end ends the question.
      const answer = await delegate(
        { _tag: "McpInput", requests: { [key]: request } },
        { timeout: "Infinity" },
      )
      const { action, content = {} } = Object((answer?.structured as Record<string, unknown>)?.[key])
      if (action !== "accept") return { action: action === "decline" ? "decline" : "cancel" }
      faults = isPlainObject(content) ? await faultsOf(content) : ["root: must be an object"]
      if (faults.length === 0) return { action, content: content as NonNullable<ElicitResult["content"]> }
    }
    throw new Error(`the answer did not fit: ${faults.join("; ")}`)
  } catch (error) {
    if (!signal.aborted)
      await delta(`A question of the MCP server ${server} was not answered: ${messageOf(error)}\n`).catch(
        () => {},
      )
    return { action: "cancel" }
  }
}
