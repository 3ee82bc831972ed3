/** `stepline inbox`: lists the open questions of a store's calls, and answers them, from another terminal. */
import type { DurableClient, InboxItem, StoredEvent } from "../durable/index.ts"
import type { EffectAnswer } from "../durable/requests.ts"
import { peopleOf } from "../hosts/named-gate.ts"
import { printable } from "../hosts/terminal/printable.ts"
import type { FinalStatus } from "../model/event.ts"
import { statusOf } from "../model/outcome.ts"
import { textOf } from "../output/output.ts"
import type { AnswerOutcome, ListedAnswer } from "../pipeline/questions/answer-list.ts"
import { didYouMean } from "../text/near-name.ts"
import { askAnswer, canAskAnswer, givenAnswer, refusalOf } from "./inbox-effect.ts"
import { type PersonOptions, personOf } from "./person.ts"
import { exitStatus } from "./tally.ts"
import { tell } from "./tell.ts"
import { UsageError } from "./usage-error.ts"

export interface InboxCommandOptions extends PersonOptions {
  readonly store: string
  /** Ids of calls. */
  readonly approve?: ReadonlyArray<string>
  readonly deny?: ReadonlyArray<string>
  /** The effects of these calls are answered with `value`, or with typed input. */
  readonly respond?: ReadonlyArray<string>
  /** The effects of these calls are refused. */
  readonly refuse?: ReadonlyArray<string>
  /** Lists poisoned calls instead of waiting ones. */
  readonly poisoned?: boolean
  /** Poisoned calls to run once more. */
  readonly retry?: ReadonlyArray<string>
  /** The reason for the model in each denial, and the error of a refused effect. */
  readonly reason?: string
  /** JSON. */
  readonly value?: string
  readonly json?: boolean
}

const whatOf = ({ kind, effect }: InboxItem): string => {
  if (effect !== undefined) {
    const { _tag, ...given } = effect
    return `waits for ${_tag}${Object.keys(given).length === 0 ? "" : ` ${JSON.stringify(given)}`}`
  }
  return kind === "start" ? "waits for its start" : "waits for an approval"
}

const lineOf = (item: InboxItem): string => {
  const { callId, agentId, name, params, label, because, named } = item
  const why = because === undefined ? "" : `\n${because}`.replaceAll("\n", "\n  ")
  const people = named === undefined ? "" : `\n  approvals: ${peopleOf(item)}`
  const asked = label === undefined ? "" : ` (${label})`
  return printable(
    `${callId} of ${agentId}: ${name} ${JSON.stringify(params)} ${whatOf(item)}${asked}${people}${why}`,
  )
}

/** The preview, marked so that it cannot be mistaken for another line of the list. */
const previewOf = ({ preview }: InboxItem): string => {
  const text = preview === undefined ? "" : textOf(preview)
  return text === "" ? "" : `\n${printable(text).trimEnd().replace(/^/gm, "  │ ")}`
}

/** Groups the waiting approvals by agent and tool, in the order of each group's first. */
const together = (items: ReadonlyArray<InboxItem>): Array<ReadonlyArray<InboxItem>> => {
  const groups = new Map<string, Array<InboxItem>>()
  for (const item of items) {
    const key = JSON.stringify(item.kind === "effect" ? [item.seq] : [item.agentId, item.name])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return [...groups.values()]
}

const headingOf = (group: ReadonlyArray<InboxItem>): string => {
  const { name, agentId } = group[0]!
  if (group.length === 1) return ""
  return `${printable(`${group.length} calls of ${name} by ${agentId} wait together: --approve those that may run, or --deny them, with a --reason.`)}\n`
}

async function* allOf<Item extends { readonly seq: number }>(
  pageAfter: (place: { readonly after: number }) => Promise<ReadonlyArray<Item>>,
): AsyncGenerator<Item> {
  let after = 0
  for (let page = await pageAfter({ after }); page.length > 0; page = await pageAfter({ after })) {
    yield* page
    after = page.at(-1)!.seq
  }
}

const openQuestions = (client: DurableClient): AsyncGenerator<InboxItem> =>
  allOf((place) => client.inbox(place))

const showPoisoned = async (client: DurableClient, isJson: boolean): Promise<void> => {
  let count = 0
  for await (const call of allOf((place) => client.poisoned(place))) {
    const { callId, agentId, name, params, content } = call
    count += 1
    const line = `${callId} of ${agentId}: ${name} ${JSON.stringify(params)}\n  ${content}`
    process.stdout.write(`${isJson ? JSON.stringify(call) : printable(line)}\n`)
  }
  if (count === 0 && !isJson) process.stdout.write("No call is poisoned.\n")
}

const questionOf = async (client: DurableClient, callId: string): Promise<InboxItem | undefined> => {
  for await (const item of openQuestions(client)) if (item.callId === callId) return item
  return undefined
}

const show = async (client: DurableClient, isJson: boolean): Promise<void> => {
  const items: Array<InboxItem> = []
  for await (const item of openQuestions(client)) {
    if (isJson) process.stdout.write(`${JSON.stringify(item)}\n`)
    else items.push(item)
  }
  if (isJson) return
  for (const group of together(items)) {
    process.stdout.write(headingOf(group))
    for (const item of group) process.stdout.write(`${lineOf(item)}${previewOf(item)}\n`)
  }
  if (items.length === 0) process.stdout.write("Nothing waits for an answer.\n")
  for await (const { callId, agentId, name } of allOf((place) => client.awaitingTool(place))) {
    process.stdout.write(
      `${printable(`${callId} of ${agentId} waits for a process with the tool ${name}.`)}\n`,
    )
  }
}

/** Milliseconds after which the user is told what an answer waits for. */
const patience = 2000

/** Waits for answers to be taken; tells the user if it takes long, because possibly no process runs the calls. */
const awaited = async <A>(callIds: ReadonlyArray<string>, took: Promise<A>): Promise<A> => {
  const late = setTimeout(() => {
    const [answer, is] =
      callIds.length === 1 ? ["answer", "is stored, and waits"] : ["answers", "are stored, and wait"]
    tell(
      `the ${answer} to ${callIds.join(", ")} ${is} for a process that runs these calls. Ctrl-C leaves it there.`,
    )
  }, patience)
  try {
    return await took
  } finally {
    clearTimeout(late)
  }
}

const ways: Readonly<Record<FinalStatus, string>> = {
  complete: "it completed",
  error: "it failed",
  denied: "it was denied",
  cancelled: "it was cancelled",
}

/** How a call has ended; undefined if it has not. */
const howEnded = (end: StoredEvent | undefined): string | undefined => {
  switch (end?._tag) {
    case "BackgroundCompleted":
      return ways[end.status]
    case "Completed":
    case "Error":
    case "Denied":
    case "Cancelled":
      return ways[statusOf(end)]
    default:
      return undefined
  }
}

type GateAnswer = ListedAnswer<InboxItem>

/** Sends the answers of the command line, and counts those that did not take effect. */
class Answering {
  missed = 0
  private readonly client: DurableClient
  private readonly by: string | undefined

  constructor(client: DurableClient, by: string | undefined) {
    this.client = client
    this.by = by
  }

  /** Decides the gates together, each once. */
  async decide(answers: ReadonlyArray<GateAnswer>): Promise<void> {
    if (answers.length === 0) return
    const { by } = this
    const ids = answers.map(({ callId }) => callId)
    const outcomes = await awaited(ids, this.client.answer(answers, by === undefined ? undefined : { by }))
    for (const [index, outcome] of outcomes.entries()) await this.decided(answers[index]!, outcome)
  }

  private async decided({ callId, approve }: GateAnswer, { took, why }: AnswerOutcome): Promise<void> {
    if (took && why !== undefined)
      process.stdout.write(`${printable(callId)}: your approval counts. ${why}\n`)
    else if (took) this.done(callId, approve === undefined ? "denied" : "approved")
    else {
      const item = await questionOf(this.client, callId)
      if (item?.named === true && why !== undefined) {
        this.missed += 1
        tell(why)
      } else if (item !== undefined && item.kind !== "effect") this.tooLate(item)
      else await this.miss(callId, item)
    }
  }

  /** Calls `answer` for the open question; it can resolve without an answer. */
  async respond(
    callId: string,
    answer: (item: InboxItem) => EffectAnswer | Promise<EffectAnswer | undefined>,
  ): Promise<void> {
    const item = await questionOf(this.client, callId)
    if (item?.kind !== "effect") return this.miss(callId, item)
    const given = await answer(item)
    const who = this.by === undefined ? undefined : { by: this.by }
    if (given === undefined) {
      this.missed += 1
      return tell(`${callId} was given no answer, and goes on waiting.`)
    }
    if (await awaited([callId], this.client.respond(callId, given, { ...item, ...who }))) {
      return this.done(callId, "error" in given ? "refused" : "answered")
    }
    const now = await questionOf(this.client, callId)
    return now?.kind === "effect" ? this.tooLate(now) : this.miss(callId, now)
  }

  private done(callId: string, verb: string): void {
    process.stdout.write(`${printable(callId)} is ${verb}.\n`)
  }

  async retry(callId: string): Promise<void> {
    const retried = await awaited([callId], this.client.retry(callId))
    if (retried !== undefined)
      process.stdout.write(`${printable(callId)} runs again as ${printable(retried)}.\n`)
    else {
      this.missed += 1
      tell(`${callId} is no poisoned call of this store: --poisoned lists those.`)
    }
  }

  /** Reports an answer to a question that is no longer open. The next question can be a different one. */
  private tooLate(item: InboxItem): void {
    this.missed += 1
    tell(
      `${item.callId} ${whatOf(item)} now, which came after what this answer was for: look at it, and answer again.`,
    )
  }

  /** Reports a call that waits for nothing, or for another kind of answer. */
  private async miss(callId: string, item: InboxItem | undefined): Promise<void> {
    this.missed += 1
    if (item !== undefined) {
      const flags = item.kind === "effect" ? "--respond or --refuse" : "--approve or --deny"
      return tell(`${callId} ${whatOf(item)}: answer it with ${flags}.`)
    }
    const how = howEnded(await this.client.result(callId))
    if (how !== undefined) return tell(`${callId} ended before this answer, which changes nothing: ${how}.`)
    const waiting: Array<string> = []
    for await (const each of openQuestions(this.client)) waiting.push(each.callId)
    tell(
      `${callId} waits for no answer now. Either somebody answered first and it goes on, or the store has no call of this id: without --approve and the like, this command lists what waits.${didYouMean(callId, waiting)}`,
    )
  }
}

/** Returns how many calls are answered. Throws a UsageError for a call with two kinds of answers. */
const countAnswers = ({
  approve = [],
  deny = [],
  respond = [],
  refuse = [],
  retry = [],
}: InboxCommandOptions): number => {
  const answers = Object.entries({
    approved: approve,
    denied: deny,
    answered: respond,
    refused: refuse,
    retried: retry,
  })
  const verbs = new Map<string, string>()
  for (const [verb, callIds] of answers) {
    for (const callId of callIds) {
      const other = verbs.get(callId)
      if (other !== undefined && other !== verb)
        throw new UsageError(`${callId} can be ${other} or ${verb}, not both`)
      verbs.set(callId, verb)
    }
  }
  return verbs.size
}

/** Returns the function that answers each effect of `--respond`. Throws a UsageError for a value that is not JSON. */
const answerOf = ({ respond, value }: InboxCommandOptions): Parameters<Answering["respond"]>[1] => {
  if (value !== undefined) {
    if (respond === undefined) throw new UsageError("--value is what --respond CALL answers with: give both")
    const answer = givenAnswer(value)
    return () => answer
  }
  if (!canAskAnswer()) return () => ({})
  return (item) => {
    process.stdout.write(`${lineOf(item)}\n`)
    return askAnswer()
  }
}

/** Resolves with the exit status: 1 if an answer did not take effect. */
export const inboxCommand = async (options: InboxCommandOptions): Promise<number> => {
  const {
    store,
    approve = [],
    deny = [],
    respond = [],
    refuse = [],
    retry = [],
    reason,
    json = false,
  } = options
  const answers = countAnswers(options)
  const by = personOf(options.as)
  const answer = answerOf(options)
  const { openDurableExecutor, StoreError } = await import("../durable/index.ts")
  const client = await openDurableExecutor({ store, runner: false }).catch((error: unknown) => {
    throw error instanceof StoreError ? new UsageError(error.message) : error
  })
  try {
    if (answers === 0) {
      await (options.poisoned ? showPoisoned : show)(client, json)
      return exitStatus.asExpected
    }
    const answering = new Answering(client, by)
    await answering.decide([
      ...approve.map((callId) => ({ callId, approve: reason === undefined || { reason } }) as const),
      ...deny.map((callId) => ({ callId, deny: reason || true }) as const),
    ])
    for (const callId of respond) await answering.respond(callId, answer)
    for (const callId of retry) await answering.retry(callId)
    for (const callId of refuse) await answering.respond(callId, () => refusalOf(reason))
    return answering.missed === 0 ? exitStatus.asExpected : exitStatus.failed
  } finally {
    await client.close()
  }
}
