import { expect, it } from "vitest"
import { publishedModule } from "./published-module.ts"

const { convertToLlm, serializeConversation } = await publishedModule("@mariozechner/pi-coding-agent")

const text = (value: string) => [{ type: "text", text: value }]

it("makes the user's messages of what models do not know, and leaves out what they may not see", () => {
  const own = { role: "assistant", content: text("hi") }
  const converted = convertToLlm([
    own,
    { role: "custom", content: "note", timestamp: 5 },
    { role: "compactionSummary", summary: "much" },
    { role: "bashExecution", command: "ls", output: "a", exitCode: 2 },
    { role: "bashExecution", command: "secret", output: "", excludeFromContext: true },
    { role: "else" },
  ])
  expect(converted).toEqual([
    own,
    { role: "user", content: text("note"), timestamp: 5 },
    { role: "user", content: text("What happened before:\n\n<summary>\nmuch\n</summary>") },
    { role: "user", content: text("The user ran `ls`:\n```\na\n```\n(exit code 2)") },
  ])
})

it("writes a conversation as one text, with long results cut", () => {
  const call = { type: "toolCall", name: "read", arguments: { path: "a", limit: 2 } }
  const shown = serializeConversation([
    { role: "user", content: "look" },
    { role: "assistant", content: [{ type: "thinking", thinking: "hm" }, ...text("I will"), call] },
    { role: "toolResult", content: text("x".repeat(2003)) },
    { role: "assistant", content: [] },
  ])
  expect(shown).toBe(
    [
      "[User]: look",
      "[Assistant thinking]: hm",
      "[Assistant]: I will",
      '[Assistant tool calls]: read(path="a", limit=2)',
      `[Tool result]: ${"x".repeat(2000)}\n\n[3 more characters]`,
    ].join("\n\n"),
  )
})
