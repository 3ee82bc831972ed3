/** `stepline plan`: the pipeline of a call, before anything runs. */
import { resolve } from "node:path"
import { printable } from "../hosts/terminal/printable.ts"
import { mainArgumentOf } from "../hosts/terminal/render-header.ts"
import { visibleLine } from "../hosts/terminal/render-text.ts"
import { allTools } from "../impls/index.ts"
import type { ToolCall } from "../model/call.ts"
import type { CallDecision } from "../model/decision.ts"
import { ToolRegistry } from "../model/registry.ts"
import { withBackground } from "../pipeline/call/call-input.ts"
import { ToolExecutor } from "../pipeline/executor.ts"
import { KeptRules } from "./kept-rules.ts"
import { expectFolder } from "./local-executor.ts"
import { commandMachine } from "./local-machine.ts"
import { localTools, type ToolsOptions } from "./local-tools.ts"
import { connectServers, type McpServersOptions } from "./mcp-servers.ts"
import { planMermaid, planText } from "./plan-drawing.ts"
import { loadFilters, type NamedTools, type RuleOptions } from "./rules.ts"
import { tell } from "./tell.ts"
import { readNamedFile } from "./text-file.ts"
import { UsageError } from "./usage-error.ts"

const parseParams = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch (error) {
    throw new UsageError(`The parameters are not JSON: ${(error as Error).message}`)
  }
}

export interface PlanOptions extends ToolsOptions, RuleOptions, McpServersOptions {
  readonly cwd?: string
  /** Whether to print a Mermaid flowchart. */
  readonly mermaid?: boolean
}

const verdicts = {
  run: "It runs unasked",
  ask: "It is asked",
  deny: "It is denied",
  invalid: "It cannot run",
} as const satisfies Record<CallDecision["verdict"], string>

interface Place {
  readonly registry: ToolRegistry
  /** The tools that rules may name. */
  readonly named: NamedTools
  readonly cwd: string
}

/** The rules' verdict on the call, and warnings about the rules, if there are any. */
const verdictLines = async (
  call: ToolCall,
  options: RuleOptions,
  { registry, named, cwd }: Place,
): Promise<Array<string>> => {
  const { filters } = await loadFilters(options, named, { cwd, onUnknownTool: () => undefined })
  const { allow, deny, config, rules } = options
  if (allow === undefined && deny === undefined && config === undefined && rules === undefined) return []
  if (rules !== undefined) {
    // A session would create the file; here a missing file would look like rules that decide nothing.
    await readNamedFile(resolve(rules), "Give the file of rules.")
    const { files } = await KeptRules.open({ file: resolve(rules), cwd, home: undefined, project: undefined })
    for (const file of files) filters.add(file.rules, file.source)
  }
  await using executor = new ToolExecutor(registry, { cwd, filters })
  const { verdict, reason, by } = await executor.decide(call)
  const because = by?.kind === "rule" ? by.reason : reason
  const said = because === undefined ? `${verdicts[verdict]}.` : `${verdicts[verdict]}: ${because}`
  return [said, ...filters.warnings].map(visibleLine)
}

const showPlan = async (name: string, json: string, options: PlanOptions, place: Place): Promise<number> => {
  const { registry } = place
  const tool = registry.get(name)
  if (tool === undefined) {
    throw new UsageError(`There is no tool \`${name}\`. Tools: ${registry.names.join(", ")}`)
  }
  const given: ToolCall = {
    agentId: "main",
    callId: "plan",
    name,
    params: parseParams(json),
    decision: "pending",
    background: false,
  }
  const call = withBackground(given, tool)
  const check = await tool.validator.validate(call.params)
  if (check._tag === "Invalid") throw new UsageError(check.message)
  const parts = tool.compose(check.params, { ...call, params: check.params }).describe()
  const title = `${name}(${visibleLine(mainArgumentOf(check.params, tool).text)})`
  const lines =
    options.mermaid === true
      ? planMermaid(title, parts)
      : [title, ...planText(parts), ...(await verdictLines(given, options, place))]
  process.stdout.write(`${printable(lines.join("\n"))}\n`)
  return 0
}

export const planCommand = async (name: string, json: string, options: PlanOptions): Promise<number> => {
  const cwd = await expectFolder(options.cwd ?? process.cwd())
  const { machine } = await commandMachine({}, cwd)
  const builtIn = allTools(machine)
  // The plan of a built-in tool needs neither the tools of other agents nor servers.
  if (options.toolPath === undefined && builtIn.some((tool) => tool.name === name)) {
    const registry = new ToolRegistry(builtIn)
    // Rules can name tools that were not loaded.
    const named: NamedTools = { get: () => registry.get(name), names: registry.names }
    return showPlan(name, json, options, { registry, named, cwd })
  }
  const { registry } = await localTools(builtIn, options, cwd)
  const servers = await connectServers(options, registry, cwd)
  servers.problems.forEach(tell)
  try {
    return await showPlan(name, json, options, { registry, named: registry, cwd })
  } finally {
    await servers.close()
  }
}
