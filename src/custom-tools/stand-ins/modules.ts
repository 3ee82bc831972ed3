/**
 * Our modules under the specifiers of the published ones. Each has every export name: those without an implementation throw
 * an error that names what they need.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as sinclairCompiler from "@sinclair/typebox/compiler"
import * as sinclairValue from "@sinclair/typebox/value"
import { fileLogger } from "../file-logger.ts"
import { withGetters } from "../with-getters.ts"
import { getAgentDir, getOmpAgentDir } from "./agent-folder.ts"
import { plainChalk } from "./chalk.ts"
import { ownZod } from "./own-zod.ts"
import { piAgentCore } from "./pi-agent-core.ts"
import { piAi } from "./pi-ai.ts"
import { piCodingAgent } from "./pi-coding-agent.ts"
import { piTui } from "./pi-tui.ts"
import * as piUtils from "./pi-utils.ts"
import { makeSettingsManager } from "./settings.ts"
import { customEditor } from "./tui/custom-editor.ts"
import { terminalPart } from "./tui/terminal-library.ts"
import { typebox1Module, typeboxModule } from "./typebox.ts"
import { unavailable } from "./unavailable.ts"

type Names = Readonly<Record<string, unknown>>

/** By specifier. */
export type StandIns = Readonly<Record<string, Names>>

/** Names that the language, promises and type checks look up, and must not find. */
const unnamed: ReadonlySet<string> = new Set(["default", "then", "toJSON"])

/**
 * Makes a module with every export name, because published versions differ: for a missing name, `otherwise` creates the
 * value on first access.
 */
const answering = (module: object, otherwise: (name: string) => unknown): Names => {
  const made = new Map<string, unknown>()
  // Without the flag, compiled code treats a module as CommonJS.
  const target = Object.defineProperty(module, "__esModule", { value: true })
  return new Proxy(target as Names, {
    get: (own, key) => {
      if (typeof key === "symbol" || key in own || unnamed.has(key)) return Reflect.get(own, key)
      if (!made.has(key)) made.set(key, otherwise(key))
      return made.get(key)
    },
  })
}

const needing = (needs: string, packageName: string) => (name: string) =>
  unavailable(name, needs, packageName)

const ofScreen = /Component$|^(?:Theme|InteractiveMode|copyToClipboard)$/

/** The exports that depend on an agent's folder, in a project and in the user's home. */
const belongingTo = (configFolder: string, agentDir: () => string) => ({
  CONFIG_DIR_NAME: configFolder,
  getAgentDir: agentDir,
  SettingsManager: makeSettingsManager(agentDir),
  hasTrustRequiringProjectResources: (cwd: string) => existsSync(join(cwd, configFolder)),
  // Entries are read without migration.
  migrateSessionEntries: (): void => undefined,
})

const inScope = (scope: string, agent: object): StandIns => {
  const packageOf = (name: string) => `${scope}/${name}`
  const agentPackage = packageOf("pi-coding-agent")
  const agentPart = (name: string) =>
    unavailable(name, `${ofScreen.test(name) ? "a screen" : "an agent"} of its own`, agentPackage)
  const provider = needing("a model provider", packageOf("pi-ai"))
  const ai = answering({ ...piAi, complete: provider("complete") }, provider)
  return {
    [agentPackage]: answering(withGetters(agent, { CustomEditor: customEditor }), agentPart),
    [packageOf("pi-ai")]: ai,
    [packageOf("pi-ai/compat")]: ai,
    [packageOf("pi-ai/oauth")]: ai,
    [packageOf("pi-agent-core")]: answering(
      { ...piAgentCore },
      needing("an agent of its own", packageOf("pi-agent-core")),
    ),
    [packageOf("pi-tui")]: answering(
      withGetters({ ...piTui }, { matchesKey: () => terminalPart("matchesKey") }),
      terminalPart,
    ),
  }
}

const pi = () => ({ ...piCodingAgent, ...belongingTo(".pi", getAgentDir) })
const omp = () => ({
  ...piCodingAgent,
  ...belongingTo(".omp", getOmpAgentDir),
  logger: fileLogger(),
  VERSION: "18.3.4",
})

const typebox = needing("TypeBox itself", "typebox")
const sinclair = needing("TypeBox itself", "@sinclair/typebox")
const compile = answering({ default: typebox("Compile") }, typebox)
const utils = needing("oh-my-pi itself", "@oh-my-pi/pi-utils")

export const standIns: StandIns = {
  ...inScope("@mariozechner", pi()),
  ...inScope("@earendil-works", pi()),
  ...inScope("@oh-my-pi", withGetters(omp(), { z: ownZod, zod: ownZod })),
  "@oh-my-pi/pi-utils": answering({ ...piUtils }, utils),
  "@oh-my-pi/pi-utils/chalk": answering({ ...plainChalk }, utils),
  // Builders give JSON Schema in both versions; checks differ, and only version 1 itself answers for them.
  typebox: answering({ ...typebox1Module }, typebox),
  "typebox/value": answering({ default: typebox("Value") }, typebox),
  "typebox/compile": compile,
  "@sinclair/typebox": answering({ ...typeboxModule }, sinclair),
  "@sinclair/typebox/value": answering({ ...sinclairValue }, sinclair),
  "@sinclair/typebox/compile": compile,
  "@sinclair/typebox/compiler": answering({ ...sinclairCompiler }, sinclair),
}
