/** The first request of a client: its version, the effects that it answers, and the options of its executor. */
import { noIde } from "../../model/no-ide.ts"
import type { Delegates, ToolExecutorOptions } from "../../model/options.ts"
import type { ToolFilterConfig } from "../../policy/index.ts"
import { hostToolTag } from "./host-tools.ts"
import { codes, RpcError } from "./json-rpc.ts"
import { Params } from "./params.ts"

/** The version of the protocol of this file and `methods.ts`. */
export const protocolVersion = 1

/** The options of an executor that are plain JSON. */
const optionNames = [
  "cwd",
  "workspace",
  "backgroundConcurrency",
  "limits",
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
  "maxOutputBytes",
  "undo",
  "resolveChoice",
  "parallelReads",
  "backgroundAfter",
] as const satisfies ReadonlyArray<keyof ToolExecutorOptions>

/** The content of `initialize`. */
export interface Session {
  /** The maximum number of unacknowledged events. */
  readonly window: number | undefined
  /** Whether the client answers this effect. */
  readonly answers: (tag: string) => boolean
  readonly options: ToolExecutorOptions
  readonly filters: ToolFilterConfig | undefined
}

/** The error of an effect that the client has not declared. */
export const unanswered = (tag: string): string =>
  `The client does not answer ${tag}: \`effects\` of its \`initialize\` leaves it out`

const failing = (tag: string) => () => {
  throw new Error(unanswered(tag))
}

/** Delegates for effects that the client does not answer: effects of an editor succeed with nothing, others fail. */
const delegatesFor = (answers: (tag: string) => boolean): Delegates => {
  const agents = ["SpawnAgent", "ListAgents", "GetAgent"].map((tag) => [tag, failing(tag)] as const)
  const all = [...Object.entries(noIde), ...agents]
  return Object.fromEntries(all.filter(([tag]) => !answers(tag)))
}

/** Reads the parameters. Throws an RpcError that explains what is wrong. */
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
