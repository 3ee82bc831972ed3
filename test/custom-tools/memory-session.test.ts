import { describe, expect, it } from "vitest"
import { MemorySession } from "../../src/custom-tools/index.ts"
import { defaultSession } from "../../src/custom-tools/memory-session.ts"

const withEntries = (count: number): MemorySession => {
  const session = new MemorySession()
  for (let n = 0; n < count; n++) session.append({ type: "custom", n })
  return session
}

describe("MemorySession", () => {
  it("chains entries in the order of their adding", () => {
    const session = new MemorySession()
    const first = session.append({ type: "message", message: { role: "user" } })
    const second = session.append({ type: "message", message: { role: "toolResult" } })
    expect(first.parentId).toBeNull()
    expect(second.parentId).toBe(first.id)
    expect(new Date(second.timestamp).toISOString()).toBe(second.timestamp)
    expect(session.getEntries()).toEqual([first, second])
    expect(session.getLeafId()).toBe(second.id)
    expect(session.getLeafEntry()).toBe(second)
    expect(session.getEntry(first.id)).toBe(first)
  })

  it("gives the branch that leads to an entry", () => {
    const session = withEntries(3)
    const [first, second] = session.getEntries()
    expect(session.getBranch()).toEqual(session.getEntries())
    expect(session.getBranch(second!.id)).toEqual([first, second])
    expect(session.getBranch("unknown")).toEqual([])
  })

  it("is empty at first", () => {
    const session = new MemorySession({ cwd: () => "/work" })
    expect(session.getLeafId()).toBeNull()
    expect(session.getLeafEntry()).toBeUndefined()
    expect(session.getEntry("x")).toBeUndefined()
    expect(session.getSessionFile()).toBeUndefined()
    expect(session.getSessionDir()).toBe("")
    expect(session.getCwd()).toBe("/work")
    expect(session.getSessionId()).not.toBe(new MemorySession().getSessionId())
  })

  it("cannot be changed through what it gives", () => {
    const session = withEntries(1)
    session.getEntries().pop()
    session.getBranch().pop()
    expect(session.getEntries()).toHaveLength(1)
  })

  it("forgets the oldest past a thousand entries, and their labels", () => {
    const session = withEntries(1000)
    const [first, second] = session.getEntries()
    session.setLabel(first!.id, "gone")
    session.setLabel(second!.id, "kept")
    session.append({ type: "custom" })
    expect(session.getEntries()).toHaveLength(1000)
    expect(session.getEntry(first!.id)).toBeUndefined()
    expect(session.getLabel(first!.id)).toBeUndefined()
    expect(session.getLabel(second!.id)).toBe("kept")
  })

  it("forgets the oldest where entries are large, but never the last", () => {
    const session = new MemorySession()
    const data = "x".repeat(30_000_000)
    session.append({ type: "custom", data })
    session.append({ type: "custom", data })
    expect(session.getEntries()).toHaveLength(1)
    const last = session.append({ type: "custom", data: data + data })
    expect(session.getEntries()).toEqual([last])
  })

  it("keeps a name and labels", () => {
    const session = withEntries(1)
    const id = session.getLeafId()!
    session.setSessionName("notes")
    session.setLabel(id, "here")
    session.setLabel("unknown", "there")
    expect(session.getSessionName()).toBe("notes")
    expect(session.getLabel(id)).toBe("here")
    expect(session.getLabel("unknown")).toBeUndefined()
    session.setLabel(id, undefined)
    expect(session.getLabel(id)).toBeUndefined()
  })
})

describe("defaultSession", () => {
  it("is one for each host, in the host's folder", () => {
    const host = { cwd: "/work" }
    expect(defaultSession(host)).toBe(defaultSession(host))
    expect(defaultSession(host)).not.toBe(defaultSession({ cwd: "/work" }))
    expect(defaultSession(host).getCwd()).toBe("/work")
    expect(defaultSession({}).getCwd()).toBe(process.cwd())
  })
})

it("has a header, and one line of entries as its tree", () => {
  const session = new MemorySession({ cwd: () => "/work" })
  expect(session.getHeader()).toEqual({
    type: "session",
    version: 3,
    id: session.getSessionId(),
    timestamp: expect.any(String),
    cwd: "/work",
  })
  expect(session.getTree()).toEqual([])
  const [first, second] = [session.append({ type: "a" }), session.append({ type: "b" })]
  expect(session.getTree()).toEqual([{ entry: first, children: [{ entry: second, children: [] }] }])
  expect(session.buildContextEntries()).toEqual([first, second])
  expect(session.getChildren(first!.id)).toEqual([second])
  expect(session.getChildren(second!.id)).toEqual([])
  expect(session.buildSessionProjection()).toEqual({
    entries: [first, second].map((sourceEntry) => ({ sourceEntry, messages: [] })),
    messages: [],
    thinkingLevel: "off",
    model: null,
  })
})
