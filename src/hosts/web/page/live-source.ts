/** The state as sent by the server: first all of it, then changes. After a lost connection it continues from the last change. */
import type { CallDetail, QuestionDetail, ToolDetail } from "../state/detail.ts"
import { emptyState, type PlainState, readState } from "../state/page-state.ts"
import { type Change, reduce } from "../state/reduce.ts"
import type { Connection, Source, Took } from "./source.ts"

/**
 * The key under which the page's path is stored, for a reload. A page within another server has none: its requests are
 * relative.
 */
const placeKey = "stepline"

/** The statuses for a browser without the page's token, and for a page of an earlier process. */
const refusals: ReadonlySet<number> = new Set([401, 403, 404])

/** As long as browsers wait. */
const reconnectMillis = 3000

const placeOf = (): string => sessionStorage.getItem(placeKey) ?? "api"

const post = (path: string, body: object): Promise<Response> =>
  fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  })

/** Resolves with undefined for what no longer exists. Rejects if the server cannot be reached, which the page shows anyway. */
const read = async <A>(path: string): Promise<A | undefined> => {
  const response = await fetch(`${placeOf()}/${path}`)
  return response.ok ? ((await response.json()) as A) : undefined
}

/** Whether a person could be about to answer what has changed. */
const isUrgent = ({ _tag }: Change): boolean =>
  _tag === "Asked" ||
  _tag === "Answered" ||
  _tag === "Staged" ||
  _tag === "Resolved" ||
  _tag === "Sent" ||
  _tag === "DialogAsked" ||
  _tag === "DialogOver" ||
  _tag === "ShutDown"

class LiveSource implements Source {
  state = emptyState({ title: document.title, calls: false })
  connection: Connection = "connecting"
  private readonly listeners = new Set<() => void>()
  private pending: Array<Change> = []
  private timer: ReturnType<typeof setTimeout> | undefined
  /** Milliseconds for which changes are collected. */
  private pause = 0

  now(): number {
    return Date.now()
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Exchanges the token in the address for a cookie, and removes it from the address. */
  async open(): Promise<void> {
    const token = location.hash.slice(1)
    if (token !== "") {
      const response = await post("api/session", { token }).catch(() => undefined)
      if (response === undefined) return this.set("lost")
      if (!response.ok) return this.set("refused")
      sessionStorage.setItem(placeKey, ((await response.json()) as { readonly path: string }).path)
      history.replaceState(undefined, "", location.pathname)
    }
    this.connect()
  }

  callDetail(key: number): Promise<CallDetail | undefined> {
    return read(`call?key=${key}`)
  }

  questionDetail(id: string): Promise<QuestionDetail | undefined> {
    return read(`question?id=${encodeURIComponent(id)}`)
  }

  async tools(): Promise<ReadonlyArray<ToolDetail>> {
    return (await read<ReadonlyArray<ToolDetail>>("tools").catch(() => undefined)) ?? []
  }

  async ask(path: string, body: object): Promise<Took> {
    const response = await post(`${placeOf()}/${path}`, body).catch(() => undefined)
    if (response === undefined) throw new Error("The server cannot be reached.")
    const answer = (await response.json()) as Took
    if (!response.ok) throw new Error(answer.message ?? "That was refused.")
    return { ...answer, took: answer.took !== false }
  }

  private connect(): void {
    const events = new EventSource(`${placeOf()}/events`)
    events.addEventListener("open", () => this.set("live"))
    events.addEventListener("state", ({ data }) => {
      this.pending = []
      this.state = readState(JSON.parse(data) as PlainState)
      this.set(this.state.ended ? "ended" : "live")
    })
    events.addEventListener("changes", ({ data }) => {
      const changes = JSON.parse(data) as ReadonlyArray<Change>
      for (const change of changes) this.pending.push(change)
      if (changes.some(isUrgent)) this.apply(events)
      else this.timer ??= setTimeout(() => this.apply(events), this.pause)
    })
    events.addEventListener("error", () => {
      if (this.state.ended) return
      if (events.readyState === EventSource.CLOSED) void this.closed()
      else this.set("lost")
    })
  }

  /** Connects again unless the page has no access: a browser gives up after any status but 200, also that of a busy server. */
  private async closed(): Promise<void> {
    const response = await fetch(`${placeOf()}/events`).catch(() => undefined)
    await response?.body?.cancel()
    if (response !== undefined && refusals.has(response.status)) return this.set("refused")
    this.set("lost")
    setTimeout(() => this.connect(), reconnectMillis)
  }

  /** Applies the collected changes, then pauses for three times as long as that took. */
  private apply(events: EventSource): void {
    clearTimeout(this.timer)
    const began = performance.now()
    const changes = this.pending
    this.pending = []
    this.state = reduce(this.state, changes)
    if (this.state.ended) events.close()
    this.set(this.state.ended ? "ended" : "live")
    // Includes drawing. A hidden page is not drawn.
    const measure = () => {
      this.pause = Math.min(1000, 3 * Math.max(0, performance.now() - began - 16))
    }
    if (!document.hidden) requestAnimationFrame(() => setTimeout(measure))
    this.timer = setTimeout(() => {
      this.timer = undefined
      if (this.pending.length > 0) this.apply(events)
    }, this.pause)
  }

  private set(connection: Connection): void {
    this.connection = connection
    for (const listener of this.listeners) listener()
  }
}

/** Connects to the server that the page came from. */
export const liveSource = (): Source => {
  const source = new LiveSource()
  void source.open()
  return source
}
