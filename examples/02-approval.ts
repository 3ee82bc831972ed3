// A gate: the host decides before the tool acts. Approve, deny, edit, and rules that decide without asking.
import { Type } from "@sinclair/typebox"
import { defineTool, pipeline, Step, ToolExecutor, ToolFilters, ToolRegistry } from "stepline"

const send = defineTool({
  name: "send_mail",
  description: "Sends a mail.",
  parameters: Type.Object({
    to: Type.String({ description: "The address." }),
    text: Type.String({ description: "The body." }),
  }),
  primaryParam: "to",
  compose: ({ to, text }) =>
    pipeline()
      .andThen(() => Step.Output(`To ${to}: ${text}`)) // the preview that the host sees
      .awaitApproval({ label: "Send this?" })
      .andThen(() => Step.Output(`Sent to ${to}: ${text}`)),
})

const filters = ToolFilters.compile({ send_mail: { allow: ["@example\\.org$"], deny: ["@competitor\\."] } })
await using executor = new ToolExecutor(new ToolRegistry([send]), { filters })

const mail = (to: string) => ({ name: "send_mail", params: { to, text: "hello" } })
executor.enqueue([
  mail("anne@example.org"),
  mail("bob@competitor.com"),
  mail("carol@example.com"),
  mail("dan@example.com"),
])

let asked = 0
for (let event = await executor.next(); event !== undefined; event = await executor.next()) {
  if (event._tag === "AwaitingApproval") {
    asked += 1
    console.log(
      `asked: ${event.label} ${event.preview?.content.map((block) => "text" in block && block.text)}`,
    )
    if (asked === 1) event.approve({ params: { to: "carol@example.com", text: "hello, edited" } })
    else event.deny("not now")
  }
  if (event._tag === "Completed" || event._tag === "Denied") console.log(`${event._tag}: ${event.content}`)
}
