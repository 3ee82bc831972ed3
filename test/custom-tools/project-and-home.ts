/** Writes tools and extensions into a project and a home folder, and loads all that is there. */

import { Type } from "@sinclair/typebox"
import { onTestFinished } from "vitest"
import { CustomTools, type CustomToolsOptions } from "../../src/custom-tools/index.ts"
import {
  defineTool,
  pipeline,
  Step,
  ToolExecutor,
  type ToolExecutorOptions,
  ToolRegistry,
} from "../../src/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { recordingLogger } from "./extensions/load-sources.ts"
import { writeFiles } from "./loading/write-files.ts"

const builtIn = (name: string) =>
  defineTool({
    name,
    description: "Built in.",
    parameters: Type.Object({ path: Type.Optional(Type.String()) }),
    compose: ({ path = "" }) => pipeline().andThen(() => Step.Output(`built in ${path}`)),
  })

/** The text of an object that is a tool; `execute` is the body of a function of oh-my-pi's arguments. */
export const tool = (name: string, execute = `return ${JSON.stringify(name)}`, more = "") =>
  `{ name: "${name}", description: "d", parameters: { type: "object", properties: {} }, ${more}
     async execute(id, params, onUpdate, ctx, signal) { ${execute} } }`

/** A module that returns tools. */
export const returning = (...tools: ReadonlyArray<string>) => `export default (api) => [${tools.join(", ")}]`

/** A module of an extension. */
export const extension = (body: string) => `export default async (pi) => { ${body} }`

/** A tool that an extension registers: its `execute` has pi's arguments. */
export const registering = (name: string, execute = `return ${JSON.stringify(name)}`) =>
  `pi.registerTool({ name: "${name}", description: "d", parameters: { type: "object", properties: {} },
     async execute(id, params, signal, onUpdate, ctx) { ${execute} } })`

interface Options extends Partial<CustomToolsOptions> {
  readonly executor?: ToolExecutorOptions
}

/**
 * Gives `path`, and `load`, which writes files below it and loads what is in `project` and `home` into a registry with
 * the built-in tools `read` and `write`.
 */
export const useCustomTools = () => {
  const path = useTempFolder()
  const load = async (
    files: Readonly<Record<string, string>>,
    { executor: how, ...options }: Options = {},
  ) => {
    await writeFiles(path(), files)
    const registry = new ToolRegistry([builtIn("read"), builtIn("write")])
    const logger = recordingLogger()
    const cwd = path("project")
    const host = { logger, approval: false, ...options.host }
    const tools = await CustomTools.load({
      cwd,
      home: path("home"),
      registry,
      discovery: "all",
      ...options,
      host,
    })
    const executor = new ToolExecutor(registry, { cwd, hooks: tools.hooks, ...how })
    onTestFinished(() => executor.shutdown())
    const text = async (name: string, params: unknown = {}) => (await executor.run({ name, params })).content
    return { tools, registry, executor, text, warnings: logger.warnings }
  }
  return { path, load }
}

export const names = (executor: ToolExecutor) =>
  executor
    .agent()
    .definitions()
    .map(({ name }) => name)
