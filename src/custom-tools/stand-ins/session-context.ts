/** The part of a session's entries that a model sees, and its size. Pure. */
import { isPlainObject } from "../../schema/plain-object.ts"
import type { SessionEntry } from "../session-manager.ts"
import type { SessionMessage } from "./messages.ts"
import type { Counts } from "./models.ts"

/** The session format of pi 0.73 and later. */
export const CURRENT_SESSION_VERSION = 3

export const DEFAULT_COMPACTION_SETTINGS = { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 }

export const sessionEntryToContextMessages = (entry: SessionEntry): Array<SessionMessage> => {
  const { type, content = [], customType, display, details, summary, fromId, tokensBefore } = entry
  const timestamp = Date.parse(entry.timestamp)
  switch (type) {
    case "message": {
      const message = entry.message as SessionMessage
      return [message.content == null ? { ...message, content: [] } : message]
    }
    case "custom_message": {
      const text = content as NonNullable<SessionMessage["content"]>
      return [{ role: "custom", customType, content: text, display, details, timestamp }]
    }
    case "branch_summary":
      return summary ? [{ role: "branchSummary", summary, fromId, timestamp }] : []
    case "compaction":
      return [{ role: "compactionSummary", summary, tokensBefore, timestamp }]
    default:
      return []
  }
}

/** The path from the first entry to `leafId`. Default: the last entry; null is before the first. */
const pathTo = (
  entries: ReadonlyArray<SessionEntry>,
  leafId: string | null | undefined,
): Array<SessionEntry> => {
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  const path: Array<SessionEntry> = []
  let entry = leafId === null ? undefined : leafId === undefined ? entries.at(-1) : byId.get(leafId)
  for (; entry !== undefined; entry = byId.get(entry.parentId ?? "")) {
    path.push(entry)
    byId.delete(entry.id)
  }
  return path.reverse()
}

/** The entries of a branch: its last compaction, the earlier entries that the compaction keeps, then the later ones. */
export const buildContextEntries = (
  entries: ReadonlyArray<SessionEntry>,
  leafId?: string | null,
): Array<SessionEntry> => {
  const path = pathTo(entries, leafId)
  const at = path.findLastIndex(({ type }) => type === "compaction")
  if (at === -1) return path
  const { firstKeptEntryId } = path[at]!
  const kept = path.findIndex(({ id }) => id === firstKeptEntryId)
  return [path[at]!, ...(kept === -1 ? [] : path.slice(kept, at)), ...path.slice(at + 1)]
}

export interface SessionContext {
  readonly messages: Array<SessionMessage>
  readonly thinkingLevel: string
  readonly model: { readonly provider: unknown; readonly modelId: unknown } | null
}

/** What a model sees, with the entries that it comes from. */
export interface SessionProjection extends SessionContext {
  readonly entries: Array<{ readonly sourceEntry: SessionEntry; readonly messages: Array<SessionMessage> }>
}

const editable: ReadonlySet<unknown> = new Set(["user", "assistant", "toolResult", "custom"])

/** Applies an edit: a later entry can remove an earlier one from the model's context, or replace its content. */
const edited = (messages: Array<SessionMessage>, edit: SessionEntry | undefined): Array<SessionMessage> => {
  if (edit === undefined) return messages
  const { replacement } = edit as { readonly replacement?: Pick<SessionMessage, "content"> | null }
  if (replacement == null) return []
  const { content } = replacement
  return messages.map((message) => {
    if (!editable.has(message.role)) return message
    const isInBlocks = message.role === "assistant" || message.role === "toolResult"
    return {
      ...message,
      content: isInBlocks && typeof content === "string" ? [{ type: "text", text: content }] : content,
    } as SessionMessage
  })
}

export const buildSessionProjection = (
  entries: ReadonlyArray<SessionEntry>,
  leafId?: string | null,
): SessionProjection => {
  let thinkingLevel = "off"
  let model: SessionContext["model"] = null
  for (const { type, thinkingLevel: level, provider, modelId, message } of pathTo(entries, leafId)) {
    if (type === "thinking_level_change") thinkingLevel = String(level)
    else if (type === "model_change") model = { provider, modelId }
    else if (type === "message" && isPlainObject(message) && message.role === "assistant")
      model = { provider: message.provider, modelId: message.model }
  }
  const context = buildContextEntries(entries, leafId)
  const edits = new Map(
    context.filter(({ type }) => type === "context_edit").map((edit) => [edit.targetId, edit]),
  )
  const projected = context.map((sourceEntry, index) => ({
    sourceEntry,
    // An older compaction itself is not shown, only the entries that it kept.
    messages:
      sourceEntry.type === "compaction" && index > 0
        ? []
        : edited(sessionEntryToContextMessages(sourceEntry), edits.get(sourceEntry.id)),
  }))
  return { entries: projected, messages: projected.flatMap(({ messages }) => messages), thinkingLevel, model }
}

export const buildSessionContext = (
  entries: ReadonlyArray<SessionEntry>,
  leafId?: string | null,
): SessionContext => {
  const { entries: _entries, ...context } = buildSessionProjection(entries, leafId)
  return context
}

export const getLatestCompactionEntry = (entries: ReadonlyArray<SessionEntry>): SessionEntry | null =>
  entries.findLast(({ type }) => type === "compaction") ?? null

/** Parses a session file: JSON lines, without invalid ones. */
export const parseSessionEntries = (content: string): Array<unknown> =>
  content.split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line)]
    } catch {
      return []
    }
  })

export const calculateContextTokens = (usage: Counts & { readonly totalTokens?: number }): number =>
  usage.totalTokens || usage.input + usage.output + usage.cacheRead + usage.cacheWrite

export const getLastAssistantUsage = (entries: ReadonlyArray<SessionEntry>): unknown =>
  entries
    .flatMap(({ type, message }) => {
      const { role, stopReason, usage } = (message ?? {}) as SessionMessage
      const isEnded =
        type === "message" && role === "assistant" && !["aborted", "error"].includes(String(stopReason))
      return isEnded && usage !== undefined ? [usage] : []
    })
    .at(-1)

export const shouldCompact = (
  contextTokens: number,
  contextWindow: number,
  { enabled, reserveTokens }: typeof DEFAULT_COMPACTION_SETTINGS,
): boolean => enabled && contextTokens > contextWindow - reserveTokens

/** The size that pi assumes for an image. */
const imageCharacters = 4800

/** Estimates four characters per token. */
export const estimateTokens = ({ content, summary, command, output }: SessionMessage): number => {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? [])
  const sizes = blocks.map(({ type, text = "", thinking = "", name = "", arguments: args }) =>
    type === "image"
      ? imageCharacters
      : text.length + thinking.length + name.length + (args === undefined ? 0 : JSON.stringify(args).length),
  )
  const others = [summary, command, output].map((text) => (typeof text === "string" ? text.length : 0))
  return Math.ceil([...sizes, ...others].reduce((sum, size) => sum + size, 0) / 4)
}

const roleOf = (entry: SessionEntry | undefined): string | undefined =>
  entry && sessionEntryToContextMessages(entry)[0]?.role

const startsTurn = (entry: SessionEntry | undefined): boolean =>
  ["user", "bashExecution", "custom", "branchSummary"].includes(roleOf(entry) ?? "")

/** The index at which the turn of an entry starts; -1 if it is before `startIndex`. */
export const findTurnStartIndex = (
  entries: ReadonlyArray<SessionEntry>,
  entryIndex: number,
  startIndex: number,
): number => {
  for (let at = entryIndex; at >= startIndex; at--) if (startsTurn(entries[at])) return at
  return -1
}

/** The index from which about `keepRecentTokens` are kept: never at a tool result, which belongs to its call. */
export const findCutPoint = (
  entries: ReadonlyArray<SessionEntry>,
  startIndex: number,
  endIndex: number,
  keepRecentTokens: number,
): {
  readonly firstKeptEntryIndex: number
  readonly turnStartIndex: number
  readonly isSplitTurn: boolean
} => {
  let tokens = 0
  let at = endIndex
  while (at > startIndex && tokens < keepRecentTokens) {
    at--
    for (const message of sessionEntryToContextMessages(entries[at]!)) tokens += estimateTokens(message)
  }
  const canCut = (index: number) => !["toolResult", undefined].includes(roleOf(entries[index]))
  let cut = at
  while (cut < endIndex && !canCut(cut)) cut++
  if (cut === endIndex) cut = startIndex
  const isSplit = cut > startIndex && !startsTurn(entries[cut])
  const turnStartIndex = isSplit ? findTurnStartIndex(entries, cut, startIndex) : -1
  return { firstKeptEntryIndex: cut, turnStartIndex, isSplitTurn: turnStartIndex !== -1 }
}
