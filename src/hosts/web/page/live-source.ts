/** The state as the server tells it: first whole, then what changes. After a lost connection it goes on where it was. */
import type { CallDetail, QuestionDetail, ToolDetail } from "../state/detail.ts"
import { emptyState, type PlainState, readState } from "../state/page-state.ts"
import { type Change, reduce } from "../state/reduce.ts"
import type { Connection, Source, Took } from "./source.ts"

const post = (path: string, body: object): Promise<Response> =>
  fetch(`/api/${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  })

const read = async <A>(path: string): Promise<A | undefined> => {
  const response = await fetch(`/api/${path}`)
  return response.ok ? ((await response.json()) as A) : undefined
}

class LiveSource implements Source {
  state = emptyState({ title: document.title, calls: false })
  connection: Connection = "connecting"
  private readonly listeners = new Set<() => void>()

  now(): number {
    return Date.now()
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Exchanges the token of the address for a cookie, and takes it out of what stands above the page. */
  async open(): Promise<void> {
    const token = location.hash.slice(1)
    if (token !== "") {
      const response = await post("session", { token })
      if (!response.ok) return this.set("refused")
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
    return (await read<ReadonlyArray<ToolDetail>>("tools")) ?? []
  }

  async ask(path: string, body: object): Promise<Took> {
    const response = await post(path, body).catch(() => undefined)
    if (response === undefined) throw new Error("The server cannot be reached.")
    const answer = (await response.json()) as Took
    if (!response.ok) throw new Error(answer.message ?? "That was refused.")
    return { ...answer, took: answer.took !== false }
  }

  private connect(): void {
    const events = new EventSource("/api/events")
    events.addEventListener("open", () => this.set("live"))
    events.addEventListener("state", ({ data }) => {
      this.state = readState(JSON.parse(data) as PlainState)
      this.set(this.state.ended ? "ended" : "live")
    })
    events.addEventListener("changes", ({ data }) => {
      this.state = reduce(this.state, JSON.parse(data) as ReadonlyArray<Change>)
      if (this.state.ended) events.close()
      this.set(this.state.ended ? "ended" : "live")
    })
    events.addEventListener("error", () => {
      if (this.state.ended) return
      this.set(events.readyState === EventSource.CLOSED ? "refused" : "lost")
    })
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
