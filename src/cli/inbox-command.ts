/** `stepline inbox`: what the calls of a store wait for, and the answers to it, from another terminal. */
import type { DurableClient, InboxItem } from "../durable/index.ts"
import { printable } from "../hosts/terminal/printable.ts"
import { exitStatus } from "./tally.ts"
import { tell } from "./tell.ts"
import { UsageError } from "./usage-error.ts"

export interface InboxCommandOptions {
  readonly store: string
  /** Ids of calls. */
  readonly approve?: ReadonlyArray<string>
  readonly deny?: ReadonlyArray<string>
  /** Told to the model with each denial. */
  readonly reason?: string
  readonly json?: boolean
}

const whatOf = ({ kind, effect }: InboxItem): string => {
  if (kind === "effect") return `waits for ${effect?._tag}`
  return kind === "start" ? "waits for its start" : "waits for an approval"
}

const lineOf = (item: InboxItem): string => {
  const { callId, agentId, name, params, label, because } = item
  const why = because === undefined ? "" : `\n  ${because}`
  const asked = label === undefined ? "" : ` (${label})`
  return printable(`${callId} of ${agentId}: ${name} ${JSON.stringify(params)} ${whatOf(item)}${asked}${why}`)
}

const show = async (client: DurableClient, isJson: boolean): Promise<void> => {
  let after = 0
  let count = 0
  for (let page = await client.inbox(); page.length > 0; page = await client.inbox({ after })) {
    for (const item of page) {
      after = item.seq
      count += 1
      process.stdout.write(`${isJson ? JSON.stringify(item) : lineOf(item)}\n`)
    }
  }
  if (count === 0 && !isJson) process.stdout.write("Nothing waits for an answer.\n")
}

/** Milliseconds after which it is said what an answer waits for. */
const patience = 2000

/** The same; said where it takes its time, for nobody may run the calls now. */
const awaited = async (callId: string, took: Promise<boolean>): Promise<boolean> => {
  const late = setTimeout(() => {
    tell(
      `the answer to ${callId} is stored, and waits for a process that runs these calls. Ctrl-C leaves it there.`,
    )
  }, patience)
  try {
    return await took
  } finally {
    clearTimeout(late)
  }
}

/** Gives the exit status: 1 where an answer did not take effect. */
export const inboxCommand = async (options: InboxCommandOptions): Promise<number> => {
  const { store, approve = [], deny = [], reason, json = false } = options
  const both = approve.find((callId) => deny.includes(callId))
  if (both !== undefined) throw new UsageError(`${both} can be approved or denied, not both`)
  const { openDurableExecutor, StoreError } = await import("../durable/index.ts")
  const client = await openDurableExecutor({ store, runner: false }).catch((error: unknown) => {
    throw error instanceof StoreError ? new UsageError(error.message) : error
  })
  try {
    if (approve.length + deny.length === 0) {
      await show(client, json)
      return exitStatus.asExpected
    }
    let missed = 0
    const answer = async (callId: string, verb: string, took: Promise<boolean>) => {
      if (await awaited(callId, took)) process.stdout.write(`${printable(callId)} is ${verb}.\n`)
      else {
        missed += 1
        tell(`${callId} waits for no such answer: somebody was faster, or it has ended.`)
      }
    }
    for (const callId of approve) {
      await answer(callId, "approved", client.approve(callId, reason === undefined ? {} : { reason }))
    }
    for (const callId of deny) await answer(callId, "denied", client.deny(callId, reason))
    return missed === 0 ? exitStatus.asExpected : exitStatus.failed
  } finally {
    await client.close()
  }
}
