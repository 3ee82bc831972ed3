/** Our modules under the names of the published ones. Each has all names that are published: some only tell what they need. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileLogger } from "../file-logger.ts"
import { getAgentDir, getOmpAgentDir } from "./agent-folder.ts"
import { plainChalk } from "./chalk.ts"
import { ownZod } from "./own-zod.ts"
import * as piAgentCore from "./pi-agent-core.ts"
import * as piAi from "./pi-ai.ts"
import * as piCodingAgent from "./pi-coding-agent.ts"
import * as piTui from "./pi-tui.ts"
import * as piUtils from "./pi-utils.ts"
import {
  agentNames,
  coreNames,
  ompNames,
  providerNames,
  screenNames,
  terminalNames,
} from "./published-names.ts"
import { makeSettingsManager } from "./settings.ts"
import { customEditor } from "./tui/custom-editor.ts"
import { terminalPart } from "./tui/terminal-library.ts"
import { typebox1Module, typeboxModule } from "./typebox.ts"
import { typeboxCompileModule, typeboxCompilerModule } from "./typebox-compile.ts"
import { typebox1ValueModule, typeboxValueModule } from "./typebox-value.ts"
import { unavailable } from "./unavailable.ts"

type Names = Readonly<Record<string, unknown>>

/** By specifier. */
export type StandIns = Readonly<Record<string, Names>>

/** Beside what a module answers itself, names that say what they need. */
const completed = (
  module: object,
  packageName: string,
  rest: Readonly<Record<string, typeof agentNames>>,
): Names => {
  const others = Object.entries(rest).flatMap(([needs, names]) =>
    names.map((name) => [name, unavailable(name, needs, packageName)] as const),
  )
  return { ...Object.fromEntries(others), ...module }
}

/** Adds what is made when it is first asked for. */
const lazily = (module: Names, names: ReadonlyArray<string>, make: (name: string) => unknown): Names => {
  const made = new Map<string, unknown>()
  const get = (name: string) => () => {
    if (!made.has(name)) made.set(name, make(name))
    return made.get(name)
  }
  const getters = names.map(
    (name) => [name, { get: get(name), enumerable: true, configurable: true }] as const,
  )
  return Object.defineProperties({ ...module }, Object.fromEntries(getters))
}

/** What an agent calls its folder in a project and in its user's home. */
const belongingTo = (configFolder: string, agentDir: () => string) => ({
  CONFIG_DIR_NAME: configFolder,
  getAgentDir: agentDir,
  SettingsManager: makeSettingsManager(agentDir),
  hasTrustRequiringProjectResources: (cwd: string) => existsSync(join(cwd, configFolder)),
  // Entries are read as their file has them.
  migrateSessionEntries: (): void => undefined,
})

const inScope = (scope: string, own: object, ownNames: ReadonlyArray<string> = []): StandIns => {
  const packageOf = (name: string) => `${scope}/${name}`
  const agent = completed({ ...piCodingAgent, ...own }, packageOf("pi-coding-agent"), {
    "an agent of its own": [...agentNames, ...ownNames],
    "a screen of its own": screenNames,
  })
  const ai = completed(piAi, packageOf("pi-ai"), { "a model provider": providerNames })
  const core = completed(piAgentCore, packageOf("pi-agent-core"), { "an agent of its own": coreNames })
  return {
    [packageOf("pi-coding-agent")]: lazily(agent, ["CustomEditor"], customEditor),
    [packageOf("pi-ai")]: ai,
    [packageOf("pi-ai/compat")]: ai,
    [packageOf("pi-ai/oauth")]: ai,
    [packageOf("pi-agent-core")]: core,
    [packageOf("pi-tui")]: lazily({ ...piTui }, terminalNames, terminalPart),
  }
}

/** Under both of its names there. */
const withZod = (module: Names): Names =>
  Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(module), ...Object.getOwnPropertyDescriptors(zodNames) },
  )

const zodNames = {
  get z() {
    return ownZod()
  },
  get zod() {
    return ownZod()
  },
}

const pi = belongingTo(".pi", getAgentDir)
const omp = { ...belongingTo(".omp", getOmpAgentDir), logger: fileLogger(), VERSION: "18.3.4" }
const ompScope = inScope("@oh-my-pi", omp, ompNames)
const ompAgent = "@oh-my-pi/pi-coding-agent"

export const standIns: StandIns = {
  ...inScope("@mariozechner", pi),
  ...inScope("@earendil-works", pi),
  ...ompScope,
  [ompAgent]: withZod(ompScope[ompAgent]!),
  "@oh-my-pi/pi-utils": { ...piUtils },
  "@oh-my-pi/pi-utils/chalk": plainChalk,
  typebox: typebox1Module,
  "typebox/value": typebox1ValueModule,
  "typebox/compile": typeboxCompileModule,
  "@sinclair/typebox": typeboxModule,
  "@sinclair/typebox/value": typeboxValueModule,
  "@sinclair/typebox/compile": typeboxCompileModule,
  "@sinclair/typebox/compiler": typeboxCompilerModule,
}
