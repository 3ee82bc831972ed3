/** The methods for a client that has initialized. An answer is one object; the answer to a call's question has `took`. */

import type { EnqueueOptions, ToolCallInput } from "../../model/call.ts"
import type { AnswerOptions, ApproveOptions } from "../../model/event.ts"
import { resultOf } from "../../model/outcome.ts"
import type { ToolOutput } from "../../output/output.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import type { AnswerOutcome, ListedAnswer } from "../../pipeline/questions/answer-list.ts"
import { resolveName } from "../../resolve/definition.ts"
import type { BackgroundTask } from "../../tasks/background-tasks.ts"
import type { ChangesFilter, UndoRequest } from "../../undo/changes.ts"
import { undoCall } from "../../undo/undo-request.ts"
import type { EventFlow } from "./event-flow.ts"
import type { HostTools } from "./host-tools.ts"
import { codes, RpcError } from "./json-rpc.ts"
import type { Params } from "./params.ts"
import { plainCause } from "./plain-cause.ts"

/** What the methods use. */
export interface Host {
  readonly executor: ToolExecutor
  readonly hostTools: HostTools
  readonly flow: EventFlow
  /** Resolves when everything is cleaned up and sent. */
  readonly shutdown: () => Promise<void>
}

interface Method {
  /** The names of its parameters. */
  readonly takes: ReadonlyArray<string>
  /** Whether the answer can take long. */
  readonly waits?: boolean
  /** A promise is answered when it settles; other requests are read meanwhile. */
  readonly call: (host: Host, params: Params) => object | Promise<object>
}

/** Removes undefined values, which executor options distinguish from missing ones. */
const given = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

const agentOf = (host: Host, params: Params) => host.executor.agent(params.optionalText("agentId"))

const taskOf = (task: BackgroundTask | undefined): object => ({ task: task ? plainCause(task) : null })

const whoOf = (params: Params): AnswerOptions => given({ by: params.raw("by") ?? undefined })

/** The outcome of an answer: whether it took effect, and if not, or if more people are needed, a sentence. */
const outcomeOf = ([outcome]: ReadonlyArray<AnswerOutcome>): object => {
  const { callId: _, ...took } = outcome!
  return took
}

const approve: Method = {
  takes: ["callId", "params", "reason", "remember", "by"],
  call: ({ executor }, params) => {
    const options = given({
      params: params.raw("params"),
      reason: params.optionalText("reason"),
      remember: params.raw("remember"),
    }) as Omit<ApproveOptions, "by">
    const approval = Object.keys(options).length === 0 || options
    return outcomeOf(executor.answer([{ callId: params.text("callId"), approve: approval }], whoOf(params)))
  },
}

const deny: Method = {
  takes: ["callId", "reason", "by"],
  call: ({ executor }, params) => {
    const reason = params.optionalText("reason") ?? true
    return outcomeOf(executor.answer([{ callId: params.text("callId"), deny: reason }], whoOf(params)))
  },
}

/** Decides several gates, each once. */
const answer: Method = {
  takes: ["answers", "by"],
  call: ({ executor }, params) => ({
    outcomes: executor.answer(params.list("answers") as ReadonlyArray<ListedAnswer>, whoOf(params)),
  }),
}

const respond: Method = {
  takes: ["callId", "output", "error", "by"],
  call: ({ executor }, params) => {
    const [callId, who] = [params.text("callId"), whoOf(params)]
    if (params.has("error")) return { took: executor.respond(callId, { error: params.text("error") }, who) }
    const output = (params.raw("output") ?? undefined) as string | ToolOutput | undefined
    return { took: executor.respond(callId, output === undefined ? {} : { output }, who) }
  },
}

const cancel: Method = {
  takes: ["callId", "agentId", "reason", "soft"],
  call: ({ executor }, params) => {
    const reason = params.optionalText("reason")
    const agentId = params.optionalText("agentId")
    const soft = params.flag("soft")
    if (!params.has("callId")) {
      const options = given({ agentId, reason })
      const count = soft ? executor.cancelForeground(options) : executor.cancel(options)
      return { took: count > 0, count }
    }
    if (params.has("agentId") || soft)
      throw new RpcError(codes.invalidParams, "`cancel` takes a `callId`, or `agentId` and `soft`, not both.")
    const took = executor.cancelCall(params.text("callId"), reason)
    return { took, count: took ? 1 : 0 }
  },
}

let resolves = 0

/** Runs in a separate lane: a preview is resolved outside of its agent's lane. Its events keep their order among all others. */
const resolve: Method = {
  takes: ["agentId", "callId", "action", "reason", "extra", "by"],
  waits: true,
  call: async ({ executor, flow }, params) => {
    const [action, reason, extra] = [params.raw("action"), params.raw("reason"), params.raw("extra")]
    resolves += 1
    const [callId] = executor.enqueue([
      {
        ...given({ agentId: params.optionalText("agentId"), callId: params.optionalText("callId") }),
        ...given({ by: params.optionalText("by") }),
        name: resolveName,
        params: given({ action, reason, extra }),
        lane: `${resolveName} ${resolves}`,
      },
    ])
    const event = await flow.endOf(callId!)
    return { callId, ...plainCause(resultOf(event)) }
  },
}

/** Runs in the lane of its agent, like any call: its events come before its result. */
const undo: Method = {
  takes: ["agentId", "callId", "turn", "since", "last", "merge"],
  waits: true,
  call: async ({ executor, flow }, params) => {
    const request = Object.fromEntries(
      ["callId", "turn", "since", "last", "merge"].flatMap((name) =>
        params.has(name) ? [[name, params.raw(name)]] : [],
      ),
    ) as unknown as UndoRequest
    const asked = undoCall(request)
    const agentId = given({ agentId: params.optionalText("agentId") })
    const [callId] = executor.enqueue([{ ...agentId, ...asked }])
    return { callId, ...plainCause(resultOf(await flow.endOf(callId!))) }
  },
}

const callsIn = (params: Params): [ReadonlyArray<ToolCallInput>, EnqueueOptions] => [
  params.list("calls") as ReadonlyArray<ToolCallInput>,
  { truncated: params.flag("truncated") },
]

const methods: Readonly<Record<string, Method>> = {
  "tools/list": {
    takes: ["agentId"],
    call: (host, params) => ({ tools: agentOf(host, params).definitions() }),
  },
  "tools/define": {
    takes: ["tools"],
    call: ({ hostTools }, params) => ({ defined: hostTools.define(params.list("tools")) }),
  },
  enqueue: {
    takes: ["calls", "truncated"],
    call: ({ executor }, params) => ({ callIds: executor.enqueue(...callsIn(params)) }),
  },
  enqueueTurn: {
    takes: ["agentId", "calls", "truncated"],
    call: (host, params) => ({ callIds: agentOf(host, params).enqueueTurn(...callsIn(params)) }),
  },
  toolChoice: {
    takes: ["agentId"],
    call: (host, params) => ({ toolChoice: agentOf(host, params).toolChoice() ?? null }),
  },
  resolve,
  undo,
  changes: {
    takes: ["agentId", "since"],
    call: ({ executor }, params) => ({
      changes: executor.changes(
        given({ agentId: params.optionalText("agentId"), since: params.raw("since") }) as ChangesFilter,
      ),
    }),
  },
  approve,
  deny,
  answer,
  respond,
  cancel,
  toBackground: {
    takes: ["callId"],
    call: ({ executor }, params) => ({ took: executor.toBackground(params.text("callId")) }),
  },
  inspect: { takes: [], call: ({ executor }) => ({ calls: executor.inspect() }) },
  "tasks/list": {
    takes: ["agentId"],
    call: ({ executor }, params) => ({
      tasks: executor.tasks.list(params.optionalText("agentId")).map(plainCause),
    }),
  },
  "tasks/get": {
    takes: ["taskId"],
    call: ({ executor }, params) => taskOf(executor.tasks.get(params.text("taskId"))),
  },
  "tasks/take": {
    takes: ["taskId"],
    call: ({ executor }, params) => taskOf(executor.tasks.take(params.text("taskId"))),
  },
  "tasks/wait": {
    takes: ["taskId"],
    waits: true,
    call: async ({ executor }, params) => taskOf(await executor.tasks.wait(params.text("taskId"))),
  },
  ack: {
    takes: ["seq"],
    call: ({ flow }, params) => {
      flow.ack(params.count("seq"))
      return {}
    },
  },
  shutdown: {
    takes: [],
    call: async ({ shutdown }) => {
      await shutdown()
      return {}
    },
  },
}

export const methodNames: ReadonlyArray<string> = ["initialize", ...Object.keys(methods)]

export const methodOf = (name: string): Method | undefined =>
  Object.hasOwn(methods, name) ? methods[name] : undefined
