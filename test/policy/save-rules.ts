/** A process of its own that remembers calls and saves their rules, one by one, and says which it has saved: `save-rules.ts FILE NAME COUNT`. */
import { ToolFilters } from "../../src/policy/index.ts"

const [path = "", name = "", count = ""] = process.argv.slice(2)
const search = { name: "search", primaryParam: "query", primaryKind: "text" } as const

const filters = ToolFilters.empty()
for (let index = 0; index < Number(count); index += 1) {
  filters.remember(search, { query: `${name} ${index}` })
  await filters.save(path)
  process.stdout.write(`${index}\n`)
}
