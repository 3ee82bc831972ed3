/** A session's history in memory: a linear list of entries, without branches and without a file. The oldest are dropped. */
import { randomUUID } from "node:crypto"
import type { CustomToolHost } from "./host.ts"
import type { SessionEntry, SessionHeader, SessionManager, SessionTreeNode } from "./session-manager.ts"
import { buildSessionProjection, type SessionProjection } from "./stand-ins/session-context.ts"

/** Results contain file contents and images, so a limit for their number is not enough. */
const maxEntries = 1000
const maxChars = 50_000_000

export interface MemorySessionOptions {
  /** Default: the process's. */
  readonly cwd?: () => string
}

/** A session in memory. The results of foreign tools are recorded in it, also if a host provides it as its `sessionManager`. */
export class MemorySession implements SessionManager {
  private readonly id = randomUUID()
  private readonly startedAt = new Date().toISOString()
  private readonly cwd: () => string
  private readonly entries: Array<SessionEntry> = []
  private readonly sizes: Array<number> = []
  private readonly labels = new Map<string, string>()
  private chars = 0
  private name: string | undefined

  constructor({ cwd = () => process.cwd() }: MemorySessionOptions = {}) {
    this.cwd = cwd
  }

  /** Appends an entry, which must be plain JSON. Returns it with its id, its parent's id and its time. */
  append(entry: { readonly type: string; readonly [field: string]: unknown }): SessionEntry {
    const parentId = this.getLeafId()
    const added = { ...entry, id: randomUUID(), parentId, timestamp: new Date().toISOString() }
    const size = JSON.stringify(added).length
    this.entries.push(added)
    this.sizes.push(size)
    this.chars += size
    while (this.entries.length > maxEntries || (this.chars > maxChars && this.entries.length > 1)) {
      this.dropOldest()
    }
    return added
  }

  setLabel(id: string, label: string | undefined): void {
    if (label === undefined) this.labels.delete(id)
    else if (this.getEntry(id) !== undefined) this.labels.set(id, label)
  }

  setSessionName(name: string): void {
    this.name = name
  }

  getBranch(fromId?: string): Array<SessionEntry> {
    if (fromId === undefined) return this.getEntries()
    return this.entries.slice(0, this.entries.findIndex(({ id }) => id === fromId) + 1)
  }

  getEntries(): Array<SessionEntry> {
    return [...this.entries]
  }

  getEntry(id: string): SessionEntry | undefined {
    return this.entries.find((entry) => entry.id === id)
  }

  getLeafId(): string | null {
    return this.getLeafEntry()?.id ?? null
  }

  getLeafEntry(): SessionEntry | undefined {
    return this.entries.at(-1)
  }

  getHeader(): SessionHeader {
    return { type: "session", version: 3, id: this.id, timestamp: this.startedAt, cwd: this.cwd() }
  }

  /** A linear tree: each entry is the only child of the previous one. */
  getTree(): Array<SessionTreeNode> {
    let tree: Array<SessionTreeNode> = []
    for (const entry of [...this.entries].reverse()) tree = [{ entry, children: tree }]
    return tree
  }

  getChildren(parentId: string): Array<SessionEntry> {
    return this.entries.filter((entry) => entry.parentId === parentId)
  }

  /** The entries for a model: all of them, because there is no compaction. */
  buildContextEntries(): Array<SessionEntry> {
    return this.getEntries()
  }

  buildSessionProjection(): SessionProjection {
    return buildSessionProjection(this.entries)
  }

  getLabel(id: string): string | undefined {
    return this.labels.get(id)
  }

  getCwd(): string {
    return this.cwd()
  }

  getSessionId(): string {
    return this.id
  }

  getSessionFile(): undefined {}

  /** Returns an empty text: there is no folder. */
  getSessionDir(): string {
    return ""
  }

  getSessionName(): string | undefined {
    return this.name
  }

  private dropOldest(): void {
    const { id } = this.entries.shift()!
    this.labels.delete(id)
    this.chars -= this.sizes.shift()!
  }
}

/** The session that stepline itself writes to: the default one, or a MemorySession of the host. */
export const writableSession = (host: CustomToolHost): MemorySession | undefined => {
  const { sessionManager } = host
  if (sessionManager === undefined) return defaultSession(host)
  return sessionManager instanceof MemorySession ? sessionManager : undefined
}

const sessions = new WeakMap<CustomToolHost, MemorySession>()

/** The session of a host without its own. The results of its foreign tools are recorded there. */
export const defaultSession = (host: CustomToolHost): MemorySession => {
  let session = sessions.get(host)
  if (session === undefined) {
    session = new MemorySession({ cwd: () => host.cwd ?? process.cwd() })
    sessions.set(host, session)
  }
  return session
}
