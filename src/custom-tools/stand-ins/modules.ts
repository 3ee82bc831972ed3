/**
 * Our modules under the specifiers of the published ones. Each has every export name: those without an implementation throw
 * an error that names what they need.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as sinclairCompiler from "@sinclair/typebox/compiler"
import * as sinclairValue from "@sinclair/typebox/value"
import { isPlainObject } from "../../schema/plain-object.ts"
import { fileLogger } from "../file-logger.ts"
import { withGetters } from "../layered.ts"
import { getAgentDir, getOmpAgentDir } from "./agent-folder.ts"
import { parseFrontmatter } from "./frontmatter.ts"
import * as messages from "./messages.ts"
import * as models from "./models.ts"
import { piCodingAgent } from "./pi-coding-agent.ts"
import * as sessionContext from "./session-context.ts"
import { makeSettingsManager } from "./settings.ts"
import * as truncation from "./truncation.ts"
import * as ansiText from "./tui/ansi-text.ts"
import * as components from "./tui/components.ts"
import { Key } from "./tui/key-names.ts"
import { Markdown } from "./tui/markdown.ts"
import { customEditor, terminalPart } from "./tui/terminal-library.ts"
import { ownZod, StringEnum, Type, typebox1Module, typeboxModule } from "./typebox.ts"
import { unavailable } from "./unavailable.ts"
import { contentText, extractDiagnosticError, formatThrownValue, uuidv7 } from "./values.ts"

type Names = Readonly<Record<string, unknown>>

/** By specifier. */
type StandIns = Readonly<Record<string, Names>>

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

const answeredBy = (answer: () => unknown, names: string): Names =>
  Object.fromEntries(names.split(" ").map((name) => [name, answer]))

/** There are no providers, and so no models: modules query and register them while they load. */
const piAi: Names = {
  ...models,
  ...{ StringEnum, Type, contentText, extractDiagnosticError, formatThrownValue, uuidv7 },
  ...answeredBy(
    () => [],
    "getApiProviders getModels getOAuthProviderInfoList getOAuthProviders getProviders",
  ),
  ...answeredBy(
    () => undefined,
    "getApiProvider registerApiProvider unregisterApiProviders clearApiProviders",
  ),
  ...answeredBy(
    () => undefined,
    "getOAuthProvider registerOAuthProvider unregisterOAuthProvider resetOAuthProviders",
  ),
  ...answeredBy(() => undefined, "findEnvKeys getEnvApiKey getModel"),
}

/** Components that only draw lines are ours; those that take keys, show images or control a screen come from the library. */
const piTui: Names = { ...ansiText, ...components, Key, Markdown }

const hasCode = (code: string) => (error: unknown) => (error as NodeJS.ErrnoException | null)?.code === code

/** The few functions of oh-my-pi's utilities that tools use. */
const piUtils: Names = {
  ...{ isRecord: isPlainObject, getAgentDir: getOmpAgentDir, parseFrontmatter, logger: fileLogger() },
  ...{ isEnoent: hasCode("ENOENT"), isEacces: hasCode("EACCES"), isEexist: hasCode("EEXIST") },
}

const takesColour = new Set(["rgb", "hex", "ansi256", "bgRgb", "bgHex", "bgAnsi256"])

/** oh-my-pi's chalk without colours: `chalk.red.bold("text")` returns the text. */
const chalk: object = new Proxy((...texts: Array<unknown>) => texts.join(" "), {
  get: (target, key) => {
    if (key === "level") return 0
    if (typeof key === "symbol" || key in target) return Reflect.get(target, key)
    return takesColour.has(key) ? () => chalk : chalk
  },
})

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
      { ...messages, ...sessionContext, ...truncation, uuidv7 },
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
  "@oh-my-pi/pi-utils/chalk": answering({ default: chalk, chalk }, utils),
  // Builders give JSON Schema in both versions; checks differ, and only version 1 itself answers for them.
  typebox: answering({ ...typebox1Module }, typebox),
  "typebox/value": answering({ default: typebox("Value") }, typebox),
  "typebox/compile": compile,
  "@sinclair/typebox": answering({ ...typeboxModule }, sinclair),
  "@sinclair/typebox/value": answering({ ...sinclairValue }, sinclair),
  "@sinclair/typebox/compile": compile,
  "@sinclair/typebox/compiler": answering({ ...sinclairCompiler }, sinclair),
}
