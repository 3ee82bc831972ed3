// Bounds for calls of some tools: how many at once, how many in a turn, and what a call costs.
import { Type } from "@sinclair/typebox"
import { defineTool, pipeline, Step, ToolExecutor, ToolRegistry } from "stepline"

let running = 0
let most = 0
const search = defineTool({
  name: "web_search",
  description: "Searches the web.",
  parameters: Type.Object({ query: Type.String() }),
  compose: ({ query }) =>
    pipeline().andThen(async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setTimeout(resolve, 20))
      running -= 1
      return Step.Output(`found ${query}`)
    }),
})
const paint = defineTool({
  name: "paint",
  description: "Paints pictures.",
  parameters: Type.Object({ pictures: Type.Integer() }),
  compose: ({ pictures }) => pipeline().andThen(() => Step.Output(`${pictures} painted`)),
})

const pictures = (params: unknown) => (params as { pictures: number }).pictures
await using executor = new ToolExecutor(new ToolRegistry([search, paint]), {
  limits: [
    { tools: ["web_*"], concurrency: 2 },
    { tools: ["paint"], perTurn: 4, cost: pictures },
  ],
})

// Six agents search, and two of them at a time: the others wait for their turn.
const searches = Array.from({ length: 6 }, (_, n) =>
  executor.run({ name: "web_search", params: { query: `${n}` }, agentId: `agent ${n}` }),
)
console.log((await Promise.all(searches)).map(({ content }) => content).join(", "))
console.log(`At most ${most} at once`)

// What is used up ends as an Error that tells the model when to try again.
const agent = executor.agent("painter")
const turn = [3, 2, 1].map((count) => ({ name: "paint", params: { pictures: count } }))
for (const { status, content } of await agent.runTurn(turn)) console.log(`${status}: ${content}`)
const [next] = await agent.runTurn([{ name: "paint", params: { pictures: 2 } }])
console.log(`The next turn: ${next?.content}`)
