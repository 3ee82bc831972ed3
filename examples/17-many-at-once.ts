// Calls that wait together: a person sees one list with previews, and approves a part of it.
import { Type } from "@sinclair/typebox"
import { type AwaitingApprovalEvent, defineTool, pipeline, Step, ToolExecutor, ToolRegistry } from "stepline"

const move = defineTool({
  name: "move",
  description: "Moves a file.",
  parameters: Type.Object({ from: Type.String(), to: Type.String() }),
  compose: ({ from, to }) =>
    pipeline()
      .andThen(() => Step.Output(`${from} -> ${to}`)) // what the list shows
      .awaitApproval()
      .andThen(() => Step.Output(`moved ${from}`)),
})
await using executor = new ToolExecutor(new ToolRegistry([move]))

/** What a model calls in one turn, in the background: so all of it asks at once. */
const call = (from: string, to: string) => ({
  callId: from,
  name: move.name,
  params: { from, to },
  background: true,
})
executor.enqueue([
  call("a.txt", "old/a.txt"),
  call("passwords", "public/passwords"),
  call("b.txt", "old/b.txt"),
])

const list: Array<AwaitingApprovalEvent> = []
for await (const event of executor.events) {
  if (event._tag === "AwaitingApproval" && list.push(event) === 3) break
}
for (const { callId, preview } of list)
  console.log(`[ ] ${callId}: ${preview?.content.map((block) => "text" in block && block.text)}`)
executor.enqueue([call("late.txt", "old/late.txt")]) // came after the list was shown

// Each answer names the question that was shown, so that it cannot reach a later one.
const outcomes = executor.answer(
  list.map((question) => {
    const { callId } = question
    return callId === "passwords"
      ? { callId, question, deny: "Not that one" }
      : { callId, question, approve: true }
  }),
  { by: "ann" },
)
console.log(outcomes.map(({ callId, took }) => `${callId}: ${took}`).join(", "))

for (const callId of ["a.txt", "b.txt"]) {
  const task = await executor.tasks.wait(callId)
  console.log(`${task?.status} by ${task?.decidedBy?.id}: ${task?.content}`)
}
console.log(`still waits: ${executor.inspect().map(({ callId }) => callId)}`)
// Once more: nothing is decided twice.
console.log(executor.answer([{ callId: "a.txt", deny: true }])[0]?.why)
