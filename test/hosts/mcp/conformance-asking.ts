/** Tools of the conformance suite that ask their client: its user, its model, its folders. */
import type { InputRequest } from "@modelcontextprotocol/server"
import { type TObject, Type } from "@sinclair/typebox"
import type { McpInput } from "../../../src/hosts/mcp/index.ts"
import { defineTool, type HandlerContext, pipeline, Step, type Tool } from "../../../src/index.ts"

const text = (value: string) => ({ type: "text" as const, text: value })

const form = (message: string, properties: object, required = Object.keys(properties)): InputRequest => ({
  method: "elicitation/create",
  params: { mode: "form", message, requestedSchema: { type: "object", properties, required } as never },
})

const sampling = (prompt: string, maxTokens = 100): InputRequest => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: text(prompt) }], maxTokens },
})

const roots: InputRequest = { method: "roots/list", params: {} }

const string = { type: "string" }

/** Asks the client, in the middle of a handler. */
export const ask = async (
  { delegate }: HandlerContext,
  requests: McpInput["requests"],
): Promise<Record<string, unknown>> => {
  const effect: McpInput = { _tag: "McpInput", requests }
  const output = await delegate(effect, { timeout: "1 minute" })
  return output!.structured as Record<string, unknown>
}

type Round = Readonly<Record<string, InputRequest>>

/** A tool that asks, a round after the other, and says what it was answered. */
const asking = (
  name: string,
  rounds: ReadonlyArray<Round> | ((params: Record<string, string>) => ReadonlyArray<Round>),
  parameters: TObject = Type.Object({}),
  heading = "Answered",
): Tool =>
  defineTool({
    name,
    description: "Asks its client.",
    parameters,
    compose: (params) =>
      pipeline().andThen(async (context) => {
        const answers: Array<unknown> = []
        const all = typeof rounds === "function" ? rounds(params as Record<string, string>) : rounds
        for (const requests of all) answers.push(await ask(context, requests))
        return Step.Output(`${heading}: ${JSON.stringify(answers)}`)
      }),
  })

const options = ["option1", "option2", "option3"]
const titled = (title: string) => [1, 2, 3].map((n) => ({ const: `value${n}`, title: `${title} ${n}` }))

export const askingTools: ReadonlyArray<Tool> = [
  asking("test_missing_capability", [{ answer: sampling("What is the capital of France?") }]),
  asking("test_input_required_result_elicitation", [
    { user_name: form("What is your name?", { name: string }) },
  ]),
  asking("test_input_required_result_sampling", [
    { capital_question: sampling("What is the capital of France?") },
  ]),
  asking("test_input_required_result_list_roots", [{ client_roots: roots }]),
  asking(
    "test_input_required_result_request_state",
    [{ confirm: form("Please confirm", { ok: { type: "boolean" } }) }],
    undefined,
    "state-ok",
  ),
  asking("test_input_required_result_multiple_inputs", [
    {
      user_name: form("What is your name?", { name: string }),
      greeting: sampling("Generate a greeting", 50),
      client_roots: roots,
    },
  ]),
  asking("test_input_required_result_multi_round", [
    { step1: form("Step 1: What is your name?", { name: string }) },
    { step2: form("Step 2: What is your favorite color?", { color: string }) },
  ]),
  asking("test_input_required_result_capabilities", [
    { user_name: form("What is your name?", { name: string }), greeting: sampling("Generate a greeting") },
  ]),
  asking(
    "test_sampling",
    ({ prompt = "" }) => [{ answer: sampling(prompt) }],
    Type.Object({ prompt: Type.String() }),
    "LLM response",
  ),
  asking(
    "test_elicitation",
    ({ message = "" }) => [{ answer: form(message, { username: string, email: string }) }],
    Type.Object({ message: Type.String() }),
    "User response",
  ),
  asking("test_elicitation_sep1034_defaults", [
    {
      defaults: form(
        "Are these right?",
        {
          name: { type: "string", default: "John Doe" },
          age: { type: "integer", default: 30 },
          score: { type: "number", default: 95.5 },
          status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
          verified: { type: "boolean", default: true },
        },
        [],
      ),
    },
  ]),
  asking("test_elicitation_sep1330_enums", [
    {
      enums: form(
        "Which?",
        {
          untitledSingle: { type: "string", enum: options },
          titledSingle: { type: "string", oneOf: titled("Option") },
          legacyEnum: {
            type: "string",
            enum: ["opt1", "opt2", "opt3"],
            enumNames: ["Option One", "Option Two", "Option Three"],
          },
          untitledMulti: { type: "array", items: { type: "string", enum: options } },
          titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
        },
        [],
      ),
    },
  ]),
  asking(
    "confirm_delete",
    ({ filename = "" }) => [{ confirm: form(`Delete ${filename}?`, { confirm: { type: "boolean" } }) }],
    Type.Object({ filename: Type.String() }),
  ),
  asking("multi_input", [
    { first: form("Your name?", { name: string }), second: form("Your other name?", { name: string }) },
  ]),
]
