/** Tools of the conformance suite that become tasks. */
import { setTimeout } from "node:timers/promises"
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server"
import { Type } from "@sinclair/typebox"
import type { McpTaskMode } from "../../../src/hosts/mcp/index.ts"
import { defineTool, pipeline, Step, type Tool } from "../../../src/index.ts"
import { ask } from "./conformance-asking.ts"

const modes: Readonly<Record<string, McpTaskMode>> = {
  slow_compute: "always",
  failing_job: "required",
  protocol_error_job: "always",
  confirm_delete: "always",
  multi_input: "always",
  test_tool_with_task: { after: "20 millis" },
}

/** Which of the tools become tasks, and when. */
export const taskMode = ({ name }: { readonly name: string }): McpTaskMode => modes[name] ?? "never"

export const taskTools: ReadonlyArray<Tool> = [
  defineTool({
    name: "greet",
    description: "Greets.",
    parameters: Type.Object({ name: Type.String() }),
    compose: ({ name }) => pipeline().andThen(() => Step.Output(`Hello, ${name}!`)),
  }),
  defineTool({
    name: "slow_compute",
    description: "Takes its time.",
    parameters: Type.Object({ seconds: Type.Number(), label: Type.Optional(Type.String()) }),
    compose: ({ seconds, label }) =>
      pipeline().andThen(async ({ signal }) => {
        await setTimeout(seconds * 1000, undefined, { signal })
        return Step.Output(`computed ${label}`)
      }),
  }),
  defineTool({
    name: "failing_job",
    description: "Fails after a second.",
    parameters: Type.Object({}),
    compose: () =>
      pipeline().andThen(async ({ signal }) => {
        await setTimeout(1000, undefined, { signal })
        return Step.Error("The job failed")
      }),
  }),
  defineTool({
    name: "protocol_error_job",
    description: "Fails by an error of the protocol.",
    parameters: Type.Object({}),
    compose: () =>
      pipeline().andThen(() => {
        throw new ProtocolError(ProtocolErrorCode.InternalError, "The job could not be run at all")
      }),
  }),
  defineTool({
    name: "test_tool_with_task",
    description: "Asks first, then goes on as a task.",
    parameters: Type.Object({}),
    compose: () =>
      pipeline().andThen(async (context) => {
        const requestedSchema = { type: "object" as const, properties: { name: { type: "string" as const } } }
        const params = { mode: "form" as const, message: "What is your name?", requestedSchema }
        const answer = await ask(context, { user_name: { method: "elicitation/create", params } })
        await setTimeout(200, undefined, { signal: context.signal })
        return Step.Output(`done for ${JSON.stringify(answer.user_name)}`)
      }),
  }),
]
