/**
 * undo
 *
 *   PreviewUndo ─▶ (resolve: apply or discard, later) ─▶ (approval, unless the host asked for it) ─▶ ApplyUndo
 *   finally: DropUndo
 */

import { type EffectHandler, type HandlerContext, handler } from "../model/handler.ts"
import { pipeline } from "../model/pipeline.ts"
import { Step, ToolError } from "../model/step.ts"
import { defineTool } from "../model/tool.ts"
import { messageOf } from "../text/message-of.ts"
import { plural } from "../text/plural.ts"
import type { CallRecord, Receipt } from "./call-record.ts"
import { CallRecorder } from "./call-recorder.ts"
import type { ChangeKeeper, KeptChange, LeftChange, UndoRequest } from "./changes.ts"
import type { PlannedUndo } from "./recorded-changes.ts"
import { notKnown, type UndoParams, undoName } from "./undo-request.ts"

/** The `details.undo` of a preview of `undo`. */
interface UndoDetails {
  readonly calls: ReadonlyArray<string>
  /** The names of handlers that undo their own effects. */
  readonly handlers: ReadonlyArray<string>
  readonly changes: number
  readonly left: ReadonlyArray<LeftChange>
}

const parameters = {
  type: "object",
  properties: {
    call_id: { type: "string", description: "The call whose changes to take back." },
    turn: { type: "integer", minimum: 1, description: "The number of the turn to take back." },
    since: {
      type: "string",
      format: "date-time",
      description: "Take back all since then, such as 2026-01-31T12:00:00Z.",
    },
    last: {
      type: "integer",
      minimum: 1,
      description: "Take back the last so many calls that changed something.",
    },
    merge: {
      type: "boolean",
      description: "Take the changes out of files that somebody else has changed since, too. Default: false.",
    },
  },
  additionalProperties: false,
}

const description = [
  "Takes back what earlier calls of yours changed in files. Give exactly one of call_id, turn, since, last.",
  "It shows a diff and changes nothing; call resolve to apply or discard what it shows.",
  "What somebody else changed since is left alone.",
].join(" ")

/** Reads which calls of the agent to undo. Throws a ToolError for more or less than one parameter. */
const requestOf = ({ call_id, turn, since, last }: UndoParams): UndoRequest => {
  const given = [
    ...(call_id === undefined ? [] : [{ callId: call_id }]),
    ...(turn === undefined ? [] : [{ turn }]),
    ...(since === undefined ? [] : [{ since: new Date(since) }]),
    ...(last === undefined ? [] : [{ last }]),
  ]
  if (given.length !== 1) throw new ToolError("Give exactly one of call_id, turn, since, last.")
  if (since !== undefined && Number.isNaN(Date.parse(since)))
    throw new ToolError(`${JSON.stringify(since)} is no time. Give one such as 2026-01-31T12:00:00Z.`)
  return given[0]!
}

const recorderOf = (context: HandlerContext): CallRecorder => {
  if (context.changes instanceof CallRecorder) return context.changes
  throw new ToolError("Nothing can be taken back: the executor keeps no changes (`undo: false`).")
}

/** The changes of each keeper, newest first. */
const byKeeper = (records: ReadonlyArray<CallRecord>): Map<ChangeKeeper, Array<KeptChange>> => {
  const changes = new Map<ChangeKeeper, Array<KeptChange>>()
  for (const { parts } of [...records].reverse()) {
    for (const part of [...parts].reverse()) {
      const known = changes.get(part.keeper) ?? []
      changes.set(part.keeper, known)
      for (const change of [...part.changes].reverse()) known.push(change)
    }
  }
  return changes
}

const leftLines = (left: ReadonlyArray<LeftChange>): Array<string> =>
  left.length === 0 ? [] : ["Left alone:", ...left.map(({ path, why }) => `${path}: ${why}`)]

const discardAll = async ({ plans }: PlannedUndo): Promise<void> => {
  for (const { keeper, plan } of plans) await keeper.discard(plan)
}

const preview = (records: ReadonlyArray<CallRecord>, { plans }: PlannedUndo): Step => {
  const count = plans.reduce((sum, { plan }) => sum + plan.changes.length, 0)
  const lost = receiptsOf(records).filter(({ receipt }) => receipt.undo() === undefined)
  const left = [
    ...plans.flatMap(({ plan }) => plan.left),
    ...lost.map(({ record, receipt }) => ({
      path: receipt.name,
      why: `its tool \`${record.name}\` has no such handler with an \`undo\` any more`,
    })),
  ]
  const unknown = records.flatMap((record) => record.unknown)
  const rest = [...leftLines(left), ...(unknown.length === 0 ? [] : [notKnown(unknown)])]
  const receipts = receiptsOf(records).map(({ receipt }) => receipt)
  const handlers = receipts.filter(({ undo }) => undo() !== undefined).map(({ name }) => name)
  const may = receipts.filter(({ mayBeTaken }) => mayBeTaken).map(({ name }) => name)
  if (may.length > 0)
    rest.push(`May be taken back already, since a process ended meanwhile: ${may.join(", ")}`)
  if (plans.every(({ plan }) => plan.id === undefined) && handlers.length === 0) {
    for (const { name, callId, undoneBy } of records)
      if (undoneBy !== undefined) rest.push(`Taken back before: ${name} ${callId}, by ${undoneBy}`)
    return Step.Error(["Nothing can be taken back.", ...rest].join("\n"))
  }
  const names = records.map(({ name, callId }) => `${name} ${callId}`)
  const of = names.length > 3 ? plural(names.length, "call") : names.join(", ")
  const text = [`[undo] ${plural(count, "change")}, not made yet, to take back ${of}:`]
  for (const { plan } of plans) if (plan.preview !== "") text.push(plan.preview)
  if (handlers.length > 0) text.push(`Taken back by the handlers that did it: ${handlers.join(", ")}`)
  const details: UndoDetails = { calls: records.map(({ callId }) => callId), handlers, changes: count, left }
  return Step.Output({
    content: [{ type: "text", text: [...text, ...rest].join("\n") }],
    details: { undo: details },
  })
}

/** The receipts, newest first. */
const receiptsOf = (records: ReadonlyArray<CallRecord>): Array<{ record: CallRecord; receipt: Receipt }> =>
  records.flatMap((record) => record.receipts.map((receipt) => ({ record, receipt }))).reverse()

/** Lets handlers undo their effects, newest first; returns their names. Rejects with a ToolError that names what was not undone. */
const takeBack = async (
  context: HandlerContext,
  records: ReadonlyArray<CallRecord>,
): Promise<Array<string>> => {
  const recorder = recorderOf(context)
  const names: Array<string> = []
  for (const { record, receipt } of receiptsOf(records)) {
    const { name } = receipt
    const undo = receipt.undo()
    const at = record.receipts.indexOf(receipt)
    // Another call can have undone it meanwhile.
    if (undo === undefined || at < 0) continue
    record.receipts.splice(at, 1)
    try {
      await recorder.takes(receipt.id)
      await undo(receipt.receipt, context)
    } catch (cause) {
      recorder.leaves(receipt.id)
      record.receipts.splice(at, 0, receipt)
      const rest = receiptsOf(records).map((left) => left.receipt.name)
      throw new ToolError(
        `${name} could not be taken back: ${messageOf(cause)} Not taken back: ${rest.join(", ")}. All else is: apply it again to try these once more.`,
        { cause },
      )
    }
    recorder.took(receipt.id)
    recorder.unknown(`the undo of ${name}`)
    names.push(name)
  }
  return names
}

const previewUndo = (params: UndoParams): EffectHandler =>
  handler("PreviewUndo", async (context) => {
    const recorder = recorderOf(context)
    await recorder.refresh()
    const { store, keyed: call } = recorder
    const records = store.select(call.agentId, requestOf(params))
    const plans: Array<PlannedUndo["plans"][number]> = []
    const options = { cwd: context.cwd, merge: params.merge === true, bounds: store.bounds }
    for (const [keeper, changes] of byKeeper(records))
      plans.push({ keeper, plan: await keeper.plan(changes, options) })
    const planned = { records, plans }
    const step = preview(records, planned)
    if (step._tag === "Output") store.planned.set(call.callId, planned)
    // Only hosts approve beforehand, because they requested the undo. But no preview shows what handlers will undo.
    context.memory.asks = context.call.decision !== "approve" || receiptsOf(records).length > 0
    context.memory.planned = call.callId
    return step
  })

const plannedBy = (context: HandlerContext): PlannedUndo => {
  const planned = recorderOf(context).store.planned.get(String(context.memory.planned))
  if (planned !== undefined) return planned
  throw new ToolError("This preview was made by another process. Discard it, and undo again.")
}

const askHost = (label: string): EffectHandler =>
  handler("AskHost", ({ memory }) => (memory.asks === false ? Step.Continue : Step.AwaitApproval({ label })))

const applyUndo = handler(
  "ApplyUndo",
  async (context) => {
    const recorder = recorderOf(context)
    const { records, plans } = plannedBy(context)
    recorder.undoes = records.map(({ callId }) => callId)
    for (let next = plans[0]; next !== undefined; next = plans[0]) {
      if (next.plan.id !== undefined) await next.keeper.apply(next.plan, recorder)
      // So that it is not applied twice, if a later one fails and the call is applied again.
      plans.shift()
    }
    recorder.store.undone(recorder.keyed, records)
    const taken = await takeBack(context, records)
    const { undo } = context.output!.details as { readonly undo: UndoDetails }
    const text = [
      `${plural(undo.changes, "change")} made.${undo.changes === 0 ? "" : ` To take them back: undo ${recorder.keyed.callId}.`}`,
      ...(taken.length === 0 ? [] : [`Taken back: ${taken.join(", ")}`]),
      ...(taken.length === undo.handlers.length
        ? []
        : [`Taken back before: ${undo.handlers.slice(taken.length).join(", ")}`]),
    ]
    return Step.Output({
      content: [{ type: "text", text: [...text, ...leftLines(undo.left)].join("\n") }],
      details: { undo },
    })
  },
  { retry: "never" },
)

const dropUndo = handler("DropUndo", async (context) => {
  if (!(context.changes instanceof CallRecorder)) return Step.Continue
  const { planned } = context.changes.store
  const callId = String(context.memory.planned)
  const own = planned.get(callId)
  planned.delete(callId)
  if (own !== undefined) await discardAll(own)
  return Step.Continue
})

const labelOf = ({ call_id, turn, since, last }: UndoParams): string => {
  if (call_id !== undefined) return `Take back ${call_id}`
  if (turn !== undefined) return `Take back turn ${turn}`
  if (since !== undefined) return `Take back all since ${since}`
  return last === undefined || last === 1 ? "Take back the last call" : `Take back the last ${last} calls`
}

/** `undo`: undoes the changes of earlier calls of the agent, as a preview to be applied later. */
export const undoTool = defineTool({
  name: undoName,
  label: "Undo",
  description,
  parameters,
  background: false,
  kind: "edit",
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  compose: (given) => {
    const params = given as UndoParams
    const label = labelOf(params)
    return pipeline()
      .andThen(previewUndo(params))
      .awaitResolve({ label })
      .andThen(askHost(label))
      .andThen(applyUndo)
      .finally(dropUndo)
  },
  renderCall: (given) => labelOf(given as UndoParams),
})
