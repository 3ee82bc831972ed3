/** The methods and events of `stepline serve`, for clients that validate them, or generate types: `stepline serve --schema`. */
import { z } from "zod"
import { protocolVersion } from "./initialize.ts"

const text = z.string()
const id = z.string().min(1)
const flag = z.boolean()
const whole = z.int().min(1)
/** Epoch milliseconds. */
const time = z.number()
const anything = z.unknown()
const texts = z.array(text)
const object = z.record(z.string(), anything)
const none = z.strictObject({})

const output = z
  .object({
    content: z.array(z.looseObject({ type: text })),
    structured: anything.optional(),
    details: anything.optional(),
    terminate: flag.optional(),
  })
  .meta({ id: "Output" })
const decidedBy = z.looseObject({ kind: text }).meta({ id: "DecidedBy" })
const bounded = z.object({ bytes: z.number(), callId: text })
const staged = z.object({ actionId: text, label: text })
const deniedBy = z.enum(["user", "policy", "expired"])
const cancelledBy = z.enum(["user", "call", "model", "tool", "shutdown"])
const reason = z.enum([
  "failed",
  "invalid",
  "unknown-tool",
  "duplicate",
  "timeout",
  "withheld",
  "poisoned",
  "limit",
  "truncated",
  "diverged",
])
const finalStatus = z.enum(["complete", "error", "denied", "cancelled"])

const endReason = {
  reason: reason.optional(),
  by: z.union([deniedBy, cancelledBy]).optional(),
  decidedBy: decidedBy.optional(),
  cause: text.optional(),
  bounded: bounded.optional(),
  deduplicated: z.literal(true).optional(),
}
const taskEnd = {
  ...endReason,
  editedParams: anything.optional(),
  staged: staged.optional(),
  cleanupErrors: texts.optional(),
}
const result = z
  .object({
    status: z.enum([...finalStatus.options, "background"]),
    content: text,
    output,
    isError: flag,
    taskId: text.optional(),
    terminate: flag.optional(),
    ...endReason,
    callId: text,
  })
  .meta({ id: "Result" })

const any = { seq: z.number(), at: time }
const ofCall = { ...any, agentId: text, callId: text, parentId: text.optional() }
const called = { name: text, params: anything, background: flag }
const end = {
  ...ofCall,
  name: text,
  content: text,
  decidedBy: decidedBy.optional(),
  cleanupErrors: texts.optional(),
  bounded: bounded.optional(),
  deduplicated: z.literal(true).optional(),
}
const changed = { staged: staged.optional(), editedParams: anything.optional() }
const ofAction = { ...any, agentId: text, actionId: text, label: text, sourceToolName: text }

const event = z
  .discriminatedUnion("_tag", [
    z.object({ _tag: z.literal("Started"), ...ofCall, ...called }),
    z.object({
      _tag: z.literal("AwaitingApproval"),
      ...ofCall,
      ...called,
      label: text.optional(),
      preview: output.optional(),
      because: text,
      person: z.literal(true).optional(),
      named: z.literal(true).optional(),
      quorum: whole.optional(),
      approvedBy: texts.optional(),
    }),
    z.object({ _tag: z.literal("GateExpiring"), ...ofCall, escalated: z.literal(true).optional() }),
    z.object({
      _tag: z.literal("Delegate"),
      ...ofCall,
      sourceCallId: text.optional(),
      effect: z.looseObject({ _tag: text }),
    }),
    z.object({ _tag: z.literal("Delta"), ...ofCall, content: text, partial: anything.optional() }),
    z.object({ _tag: z.literal("Completed"), ...end, output, ...changed }),
    z.object({
      _tag: z.literal("Error"),
      ...end,
      reason,
      output: output.optional(),
      cause: text.optional(),
      ...changed,
    }),
    z.object({ _tag: z.literal("Denied"), ...end, by: deniedBy, params: anything.optional() }),
    z.object({ _tag: z.literal("Cancelled"), ...end, by: cancelledBy }),
    z.object({ _tag: z.literal("BackgroundStarted"), ...ofCall, name: text }),
    z.object({
      _tag: z.literal("BackgroundCompleted"),
      ...ofCall,
      ...taskEnd,
      name: text,
      status: finalStatus,
      createdAt: time,
      startedAt: time.optional(),
      endedAt: time,
    }),
    z.object({ _tag: z.literal("ActionPending"), ...ofAction, sourceCallId: text.optional() }),
    z.object({
      _tag: z.literal("ActionResolved"),
      ...ofAction,
      outcome: z.enum(["applied", "discarded", "dropped"]),
      decidedBy: decidedBy.optional(),
      cleanupErrors: texts.optional(),
    }),
  ])
  .meta({ id: "Event" })

const call = {
  name: id,
  params: anything.optional(),
  callId: id.optional(),
  decision: z.enum(["pending", "requested", "approve", "deny"]).optional(),
  background: flag.optional(),
  lane: text.optional(),
  turn: z.string().optional(),
  priority: z.number().optional(),
  truncated: flag.optional(),
  meta: object.optional(),
}
const task = z
  .object({
    id: text,
    agentId: text,
    name: text,
    params: anything,
    status: z.enum(["pending", "running", "waiting", ...finalStatus.options]),
    content: text,
    output: output.optional(),
    createdAt: time,
    startedAt: time.optional(),
    endedAt: time.optional(),
    ...taskEnd,
  })
  .meta({ id: "Task" })
const inspected = z.object({
  agentId: text,
  callId: text,
  parentId: text.optional(),
  name: text,
  state: z.enum(["queued", "held", "preparing", "running", "waiting", "finishing"]),
  background: flag,
  handler: text.optional(),
  waitingFor: text.optional(),
  because: text.optional(),
  decidedBy: decidedBy.optional(),
})
const tool = z.object({ name: id, description: text, parameters: object })
const duration = z.union([z.number(), text])
const definedTool = z.strictObject({
  ...tool.shape,
  approval: flag.optional(),
  timeout: duration.optional(),
  label: text.optional(),
  kind: text.optional(),
  annotations: object.optional(),
  primaryParam: text.optional(),
  primaryKind: text.optional(),
  workingDirParam: text.optional(),
  outputSchema: object.optional(),
  background: flag.optional(),
  hidden: flag.optional(),
})
const ofQuestion = {
  callId: id,
  question: z.union([z.number(), z.looseObject({ seq: z.number() })]).optional(),
}
const approval = z.object({
  params: anything.optional(),
  reason: text.optional(),
  remember: z.union([flag, object]).optional(),
})
const listedAnswer = z.union([
  z.object({ ...ofQuestion, approve: z.union([z.literal(true), approval]) }),
  z.object({ ...ofQuestion, deny: z.union([z.literal(true), text]) }),
])
const by = id.optional()
const agentId = text.optional()
const took = z.object({ took: flag, why: text.optional() })
const callIds = z.object({ callIds: texts })
const ofTask = { params: z.strictObject({ taskId: id }), result: z.object({ task: task.nullable() }) }

const method = <P extends z.ZodType, R extends z.ZodType>(params: P, answer: R) =>
  z.object({ params, result: answer })

/** The parameters and result of each method, and the events for the client. */
export const protocol = z.object({
  methods: z.object({
    initialize: method(
      z.strictObject({
        protocolVersion: z.literal(protocolVersion),
        window: whole.optional(),
        effects: texts.optional(),
        options: object.optional(),
        filters: object.optional(),
        clientInfo: anything.optional(),
      }),
      z.object({ protocolVersion: z.literal(protocolVersion), serverInfo: object }),
    ),
    "tools/list": method(z.strictObject({ agentId }), z.object({ tools: z.array(tool) })),
    "tools/define": method(z.strictObject({ tools: z.array(definedTool) }), z.object({ defined: texts })),
    enqueue: method(
      z.strictObject({ calls: z.array(z.object({ ...call, agentId })), truncated: flag.optional() }),
      callIds,
    ),
    enqueueTurn: method(
      z.strictObject({ agentId, calls: z.array(z.object(call)), truncated: flag.optional() }),
      callIds,
    ),
    toolChoice: method(
      z.strictObject({ agentId }),
      z.object({
        toolChoice: z.object({ mode: text, toolName: z.literal("resolve"), reminder: object }).nullable(),
      }),
    ),
    resolve: method(
      z.strictObject({
        agentId,
        callId: id.optional(),
        action: z.enum(["apply", "discard"]),
        reason: text,
        extra: object.optional(),
        by,
      }),
      result,
    ),
    undo: method(
      z.strictObject({
        agentId,
        callId: id.optional(),
        turn: whole.optional(),
        since: time.optional(),
        last: whole.optional(),
        merge: flag.optional(),
      }),
      result,
    ),
    changes: method(
      z.strictObject({ agentId, since: time.optional() }),
      z.object({ changes: z.array(object) }),
    ),
    approve: method(z.strictObject({ callId: id, ...approval.shape, by }), took),
    deny: method(z.strictObject({ callId: id, reason: text.optional(), by }), took),
    answer: method(
      z.strictObject({ answers: z.array(listedAnswer), by }),
      z.object({ outcomes: z.array(z.object({ callId: text, ...took.shape })) }),
    ),
    respond: method(
      z.strictObject({ callId: id, output: z.union([text, output]).optional(), error: id.optional(), by }),
      took,
    ),
    cancel: method(
      z.strictObject({ callId: id.optional(), agentId, reason: text.optional(), soft: flag.optional() }),
      z.object({ took: flag, count: z.number() }),
    ),
    toBackground: method(z.strictObject({ callId: id }), took),
    inspect: method(none, z.object({ calls: z.array(inspected) })),
    "tasks/list": method(z.strictObject({ agentId }), z.object({ tasks: z.array(task) })),
    "tasks/get": z.object(ofTask),
    "tasks/take": z.object(ofTask),
    "tasks/wait": z.object(ofTask),
    ack: method(z.strictObject({ seq: whole }), none),
    shutdown: method(none, none),
  }),
  event,
})

/** The protocol as JSON Schema, draft 2020-12. */
export const protocolSchema = (): object => ({
  title: `The methods and events of stepline serve, version ${protocolVersion}`,
  ...z.toJSONSchema(protocol, { io: "input" }),
})
