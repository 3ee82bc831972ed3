/** What a client says of itself first: its version, what it can answer, and the executor that it wants. */
import { noIde } from "../../pipeline/model/no-ide.ts"
import type { Delegates, ToolExecutorOptions } from "../../pipeline/model/options.ts"
import type { ToolFilterConfig } from "../../policy/index.ts"
import { hostToolTag } from "./host-tools.ts"
import { codes, RpcError } from "./json-rpc.ts"
import { Params } from "./params.ts"

/** The version of what this page and `methods.ts` say. */
export const protocolVersion = 1

/** The options of an executor that are plain JSON. */
const optionNames = [
  "cwd",
  "workspace",
  "backgroundConcurrency",
  "callTimeout",
  "taskTimeout",
  "approvalTimeout",
  "delegateTimeout",
  "consumerTimeout",
  "finallyTimeout",
  "taskTtl",
  "maxTasks",
  "maxPendingActions",
  "eventBuffer",
  "eventBufferBytes",
  "resolveChoice",
  "parallelReads",
  "backgroundAfter",
] as const satisfies ReadonlyArray<keyof ToolExecutorOptions>

/** What `initialize` asks for. */
export interface Session {
  /** Told and not acknowledged events, at most. */
  readonly window: number | undefined
  /** Whether the client answers this effect. */
  readonly answers: (tag: string) => boolean
  readonly options: ToolExecutorOptions
  readonly filters: ToolFilterConfig | undefined
}

/** Why an effect fails that the client has not named. */
export const unanswered = (tag: string): string =>
  `The client does not answer ${tag}: \`effects\` of its \`initialize\` leaves it out`

const failing = (tag: string) => () => {
  throw new Error(unanswered(tag))
}

/** Functions for what the client does not answer: without an editor its effects succeed with nothing, the others fail. */
const delegatesFor = (answers: (tag: string) => boolean): Delegates => {
  const agents = ["SpawnAgent", "ListAgents", "GetAgent"].map((tag) => [tag, failing(tag)] as const)
  const all = [...Object.entries(noIde), ...agents]
  return Object.fromEntries(all.filter(([tag]) => !answers(tag)))
}

/** Throws an RpcError that says what is wrong. */
export const readSession = (values: Readonly<Record<string, unknown>>): Session => {
  const takes = ["protocolVersion", "window", "effects", "options", "filters", "clientInfo"]
  const params = new Params("initialize", values, takes)
  const version = params.raw("protocolVersion")
  if (version !== protocolVersion) {
    const message = `This is version ${protocolVersion} of the protocol: initialize with \`protocolVersion\` ${protocolVersion}.`
    throw new RpcError(codes.invalidParams, message, { supported: [protocolVersion], requested: version })
  }
  const effects = new Set(params.has("effects") ? params.texts("effects") : [])
  const answers = (tag: string) => tag === hostToolTag || effects.has(tag) || effects.has("*")
  const sent = params.has("options") ? params.record("options") : {}
  const options = new Params("options of initialize", { ...sent }, optionNames)
  for (const name of ["cwd", "workspace"]) options.optionalText(name)
  return {
    window: params.has("window") ? params.count("window") : undefined,
    answers,
    options: { ...sent, delegates: delegatesFor(answers) },
    filters: params.has("filters") ? (params.record("filters") as ToolFilterConfig) : undefined,
  }
}
