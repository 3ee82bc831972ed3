// Code of a model: one program instead of many turns, and each call in it is asked about.
import { Type } from "@sinclair/typebox"
import { defineTool, pipeline, Step, ToolExecutor, ToolFilters, ToolRegistry } from "stepline"
import { runCodeTool } from "stepline/code"

const stock = defineTool({
  name: "stock",
  description: "How many of an article there are.",
  parameters: Type.Object({ article: Type.String() }),
  outputSchema: Type.Object({ left: Type.Integer() }),
  compose: ({ article }) =>
    pipeline().andThen(() => Step.Output({ content: [], structured: { left: article.length } })),
})

const order = defineTool({
  name: "order",
  description: "Orders more of an article.",
  parameters: Type.Object({ article: Type.String(), count: Type.Integer() }),
  compose: ({ article, count }) =>
    pipeline()
      .awaitApproval()
      .andThen(() => Step.Output(`${count} of ${article} are on their way`)),
})

const registry = new ToolRegistry([stock, order])
registry.register(runCodeTool({ tools: ["stock", "order"] }))

await using executor = new ToolExecutor(registry, {
  filters: ToolFilters.compile({ run_code: { allow: [".*"] } }),
})

const source = `
const articles = ["tea", "coffee", "sugar"]
const stocks = await Promise.all(articles.map((article) => tools.stock({ article })))
console.log("looked at", articles.length)
const told = []
for (const [index, { left }] of stocks.entries()) {
  if (left > 5) continue
  try {
    told.push(await tools.order({ article: articles[index], count: 10 - left }))
  } catch (error) {
    told.push(error.name + ": " + error.message)
  }
}
return told`

const { content } = await executor.run({ callId: "code", name: "run_code", params: { source } }, (event) => {
  if (event._tag !== "AwaitingApproval") return
  const { article, count } = event.params as { article: string; count: number }
  console.log(`${event.callId} of ${event.parentId}: order ${count} of ${article}?`)
  if (article === "tea") event.approve()
  else event.deny("There is enough in the kitchen")
})
console.log(content)
