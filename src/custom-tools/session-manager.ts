/** The session's history as foreign tools read it, to rebuild their state after a branch or a restart. */

/** An entry of the history. Tools look at `type: "message"` with a message of role `toolResult`. */
export interface SessionEntry {
  readonly type: string
  readonly id: string
  readonly parentId: string | null
  /** ISO 8601. */
  readonly timestamp: string
  readonly [field: string]: unknown
}

export interface SessionHeader {
  readonly type: "session"
  readonly version: number
  readonly id: string
  /** ISO 8601. */
  readonly timestamp: string
  readonly cwd: string
}

export interface SessionTreeNode {
  readonly entry: SessionEntry
  readonly children: Array<SessionTreeNode>
}

/** Reads the history. A host with its own sessions implements it. */
export interface SessionManager {
  /** The entries from the first to the current one. */
  getBranch(fromId?: string): Array<SessionEntry>
  /** All entries of all branches, in the order in which they were added. */
  getEntries(): Array<SessionEntry>
  getEntry(id: string): SessionEntry | undefined
  getLeafId(): string | null
  getLeafEntry(): SessionEntry | undefined
  getLabel(id: string): string | undefined
  getCwd(): string
  getSessionId(): string
  /** Undefined for a session in memory. */
  getSessionFile(): string | undefined
  getSessionDir(): string
  getSessionName(): string | undefined
}
