import { describe, expect, it } from "vitest"
import type { SessionEntry } from "../../../src/custom-tools/index.ts"
import { publishedModule } from "./published-module.ts"

const {
  buildContextEntries,
  buildSessionContext,
  buildSessionProjection,
  calculateContextTokens,
  DEFAULT_COMPACTION_SETTINGS,
  estimateTokens,
  findCutPoint,
  getLastAssistantUsage,
  getLatestCompactionEntry,
  parseSessionEntries,
  sessionEntryToContextMessages,
  shouldCompact,
} = await publishedModule("@mariozechner/pi-coding-agent")

const timestamp = "2026-01-01T00:00:00.000Z"

const entry = (id: string, parentId: string | null, fields: object): SessionEntry => ({
  type: "message",
  ...fields,
  id,
  parentId,
  timestamp,
})
const said = (role: string, content: string, more = {}) => ({ message: { role, content, ...more } })

/** a - b - c, and d beside c. */
const entries = [
  entry("a", null, said("user", "first")),
  entry("b", "a", said("assistant", "answer", { provider: "p", model: "m", usage: { totalTokens: 7 } })),
  entry("c", "b", said("user", "second")),
  entry("d", "b", said("user", "other")),
]

const texts = (list: ReadonlyArray<{ readonly content?: unknown }>) => list.map(({ content }) => content)

describe("buildSessionContext", () => {
  it("goes from a leaf to the root, by default from the last entry", () => {
    const context = buildSessionContext(entries)
    expect(texts(context.messages)).toEqual(["first", "answer", "other"])
    expect([context.model, context.thinkingLevel]).toEqual([{ provider: "p", modelId: "m" }, "off"])
    expect(texts(buildSessionContext(entries, "c").messages)).toEqual(["first", "answer", "second"])
    expect(buildSessionContext(entries, null).messages).toEqual([])
  })

  it("takes the model and the level of thinking that were last chosen", () => {
    const changed = [
      ...entries,
      entry("e", "d", { type: "model_change", provider: "q", modelId: "n" }),
      entry("f", "e", { type: "thinking_level_change", thinkingLevel: "high" }),
    ]
    const { model, thinkingLevel } = buildSessionContext(changed)
    expect([model, thinkingLevel]).toEqual([{ provider: "q", modelId: "n" }, "high"])
  })

  it("ends where entries go round in a circle", () => {
    const circle = [entry("a", "b", said("user", "a")), entry("b", "a", said("user", "b"))]
    expect(texts(buildSessionContext(circle).messages)).toEqual(["a", "b"])
  })

  it("puts a compaction in the place of what it did not keep", () => {
    const compaction = { type: "compaction", summary: "s", firstKeptEntryId: "c", tokensBefore: 9 }
    const compacted = [
      ...entries.slice(0, 3),
      entry("k", "c", compaction),
      entry("z", "k", said("user", "last")),
    ]
    expect(buildContextEntries(compacted).map(({ id }: SessionEntry) => id)).toEqual(["k", "c", "z"])
    expect(buildSessionContext(compacted).messages[0]).toMatchObject({
      role: "compactionSummary",
      summary: "s",
    })
    expect(getLatestCompactionEntry(compacted)?.id).toBe("k")
    expect(getLatestCompactionEntry(entries)).toBeNull()
  })
})

it("leaves out and rewrites what later entries say, and tells of which entry each message is", () => {
  const edit = (id: string, parentId: string, targetId: string, replacement: unknown) =>
    entry(id, parentId, { type: "context_edit", targetId, replacement })
  const both = [
    entry("a", null, said("user", "secret")),
    entry("b", "a", said("assistant", "long")),
    edit("c", "b", "a", null),
    edit("d", "c", "b", { content: "short" }),
  ]
  const { entries: projected, messages } = buildSessionProjection(both)
  const counts = projected.map(
    ({ sourceEntry, messages: found }: { sourceEntry: SessionEntry; messages: Array<unknown> }) => [
      sourceEntry.id,
      found.length,
    ],
  )
  expect(counts).toEqual([
    ["a", 0],
    ["b", 1],
    ["c", 0],
    ["d", 0],
  ])
  expect(messages).toMatchObject([{ role: "assistant", content: [{ type: "text", text: "short" }] }])
  expect(buildSessionContext(both).messages).toEqual(messages)
})

it("gives what other entries say to a model, and nothing of the rest", () => {
  const custom = { type: "custom_message", customType: "note", content: "n", display: true }
  expect(sessionEntryToContextMessages(entry("x", null, custom))).toEqual([
    {
      role: "custom",
      customType: "note",
      content: "n",
      display: true,
      details: undefined,
      timestamp: Date.parse(timestamp),
    },
  ])
  expect(sessionEntryToContextMessages(entry("x", null, { type: "custom", data: 1 }))).toEqual([])
  expect(sessionEntryToContextMessages(entry("x", null, said("user", null as never)))).toEqual([
    { role: "user", content: [] },
  ])
})

it("counts tokens by what a model reported, else four characters each", () => {
  expect(getLastAssistantUsage(entries)).toEqual({ totalTokens: 7 })
  const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 }
  expect([calculateContextTokens(usage), calculateContextTokens({ ...usage, totalTokens: 99 })]).toEqual([
    10, 99,
  ])
  expect(estimateTokens({ role: "user", content: "12345" })).toBe(2)
  const call = { type: "toolCall", name: "ab", arguments: { a: 1 } }
  expect(estimateTokens({ role: "assistant", content: [{ type: "text", text: "1234567" }, call] })).toBe(4)
  expect(shouldCompact(90_000, 100_000, DEFAULT_COMPACTION_SETTINGS)).toBe(true)
  expect(shouldCompact(80_000, 100_000, DEFAULT_COMPACTION_SETTINGS)).toBe(false)
})

it("cuts where about so many tokens are kept, and tells of a turn that is cut", () => {
  const long = "x".repeat(400)
  const path = [
    entry("a", null, said("user", long)),
    entry("b", "a", said("assistant", long)),
    entry("c", "b", said("toolResult", long)),
    entry("d", "c", said("assistant", long)),
  ]
  expect(findCutPoint(path, 0, 4, 100)).toEqual({
    firstKeptEntryIndex: 3,
    turnStartIndex: 0,
    isSplitTurn: true,
  })
  // A tool's result stays with its call.
  expect(findCutPoint(path, 0, 4, 150).firstKeptEntryIndex).toBe(3)
  expect(findCutPoint(path, 0, 4, 10_000)).toEqual({
    firstKeptEntryIndex: 0,
    turnStartIndex: -1,
    isSplitTurn: false,
  })
})

it("reads a session's file, and leaves out lines that are no JSON", () => {
  expect(parseSessionEntries('{"a":1}\nnonsense\n\n{"b":2}\n')).toEqual([{ a: 1 }, { b: 2 }])
})
