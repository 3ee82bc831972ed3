/**
 * run_code
 *
 *   ParseCode ─▶ ShowCode ─▶ (approval) ─▶ FixChance ─▶ RunCode ─▶ the result as JSON, and what was logged
 *
 * The calls of the code have their own gates: this gate is only for the source.
 */
import { randomInt } from "node:crypto"
import { Type } from "@sinclair/typebox"
import { expectKnown, got } from "../model/got.ts"
import { handler } from "../model/handler.ts"
import type { Mutable } from "../model/mutable.ts"
import { pipeline } from "../model/pipeline.ts"
import { Step } from "../model/step.ts"
import { defineTool } from "../model/tool.ts"
import type { ToolDefinition } from "../model/tool-definition.ts"
import { toolMention } from "../text/code-parts.ts"
import { type CodeLimits, toBounds } from "./code-limits.ts"
import type { Determinism } from "./guest-program.ts"
import { type CodeTools, runCode, sourceFault } from "./run-code.ts"
import { listOf } from "./signatures.ts"

/** Options of `runCodeTool`. */
export interface RunCodeOptions {
  /** The tools that code can call: their names, or a filter of the tools that the agent can call. Never `run_code` itself. */
  readonly tools: ReadonlyArray<string> | ((tool: ToolDefinition) => boolean)
  readonly limits?: CodeLimits
}

const name = "run_code"

/** Maximum characters of the signatures in the description. */
const room = 6000

const parameters = Type.Object({
  source: Type.String({
    description:
      "JavaScript: the body of an async function. Use await for every call, and return the result.",
  }),
  plan: Type.Optional(
    Type.Boolean({
      description:
        "Calls that need an approval are collected: each gives { planned: n } at once, and nothing else. When the code has ended, they are asked about together, and those that are approved are done in order. The result tells what became of each.",
    }),
  ),
})

const about =
  "Runs JavaScript that calls tools: loops, conditions and Promise.all in one step instead of many. `await tools.NAME(params)` gives a tool's data, or its text. A tool that is denied throws ToolDenied, one that fails ToolFailed; both have `message` and `reason`, and may be caught. `return` a value that is JSON; console.log is shown too. There are no modules, files, network or timers, only the tools. `await tools.describe(name)` tells all about one."

/** The names of tools that the source seems to call, for the person who decides. */
const namedIn = (source: string): ReadonlyArray<string> => [
  ...new Set([...source.matchAll(toolMention)].map(([, a, b]) => (a ?? b)!)),
]

const showCode = (source: string) => {
  const names = namedIn(source)
  const named = names.length === 0 ? "It names no tools." : `It names the tools ${names.join(", ")}.`
  return Step.Output(`\`\`\`js\n${source}\n\`\`\`\n${named}`)
}

/**
 * The tool `run_code`: the model's code runs in a sandbox, and each tool call in it is a nested call with its own gate.
 * Needs the package `run` (2.1 or newer), which is loaded when the first code runs.
 *
 * @example
 * registry.register(runCodeTool({ tools: ["read_file", "edit_file"] }))
 */
export const runCodeTool = (options: RunCodeOptions) => {
  const { tools, limits } = options
  if (typeof tools !== "function" && !Array.isArray(tools))
    throw new TypeError(`Expected \`tools\` of \`runCodeTool\` to be names or a function, ${got(tools)}`)
  expectKnown("`runCodeTool`", options, ["tools", "limits"])
  const bounds = toBounds(limits)
  const isMeant = (tool: ToolDefinition): boolean =>
    tool.name !== name && (typeof tools === "function" ? tools(tool) : tools.includes(tool.name))
  const toolsAmong = (all: ReadonlyArray<ToolDefinition>): CodeTools => {
    const meant = all.filter(isMeant)
    const names = new Set(typeof tools === "function" ? meant.map((tool) => tool.name) : tools)
    names.delete(name)
    return { tools: meant, mayCall: (each) => names.has(each) }
  }
  return defineTool({
    name,
    label: "Run code",
    description: about,
    describe: (all) => `${about}\n\n${listOf(toolsAmong(all).tools, room)}`,
    parameters,
    primaryParam: "source",
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    compose: ({ source, plan = false }) =>
      pipeline()
        .andThen(
          handler("ParseCode", async () => {
            const fault = await sourceFault(source, bounds)
            return fault === undefined ? Step.Continue : Step.Error(fault)
          }),
        )
        .andThen(handler("ShowCode", () => showCode(source)))
        .awaitApproval()
        // Stored before the code runs: a restarted run has the same time and random numbers.
        .andThen(
          handler<never, Mutable<Determinism> & Record<string, unknown>>("FixChance", ({ memory }) => {
            memory.at = Date.now()
            memory.seed = randomInt(2 ** 32)
            return Step.Continue
          }),
        )
        .andThen(
          handler<never, Determinism & Record<string, unknown>>("RunCode", (context) => {
            const { at = 0, seed = 0 } = context.memory
            return runCode(
              context,
              source,
              toolsAmong(context.agent.definitions()),
              bounds,
              { at, seed },
              plan,
            )
          }),
        ),
  })
}
