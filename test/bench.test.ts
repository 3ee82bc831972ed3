import { readFile } from "node:fs/promises"
import type { ToolEvent } from "stepline"
import { describe, expect, it } from "vitest"
import { executors, runBatch, scenarios } from "../bench/calls.ts"
import { aimOf } from "../bench/figure.ts"
import { pages, sections } from "../bench/sections.ts"

/** The tables of a page by the first cell of their heads: the first and the last cell of each row. */
const tablesOf = (page: string): Map<string, Array<string>> => {
  const blocks = page.split("\n\n").filter((block) => block.startsWith("| "))
  const tables = blocks.map((block): [string, Array<string>] => {
    const rows = block.split("\n").map((line) => line.split("|").map((cell) => cell.trim()))
    return [rows[0]![1]!, rows.slice(2).map((row) => `${row[1]}: ${row.at(-2)!.replace(" MISSED", "")}`)]
  })
  return new Map(tables)
}

describe("the benchmark", () => {
  it("has the rows and aims of the tables in the documentation", async () => {
    const measured = Object.values(sections).map(({ title, rows }): [string, Array<string>] => [
      title,
      rows.map((row) => `${row.name}: ${aimOf(row)}`),
    ])
    const [readme, costs] = await Promise.all(
      pages.map(async (page) => tablesOf(await readFile(page, "utf8"))),
    )
    expect([...costs!]).toEqual(measured)
    const shown = measured.filter(([title]) => readme!.has(title))
    expect(shown.map(([title]) => title)).toEqual(["A call", "Processor time of a fresh process"])
    for (const [title, rows] of shown) expect(readme!.get(title)).toEqual(rows)
  })

  it.each(scenarios)("tells a host of the limit the same as stepline does: $name", async (scenario) => {
    const tell = async (make: (typeof executors)["bare"]) => {
      const executor = make()
      const told: Array<object> = []
      const next = async (): Promise<ToolEvent | undefined> => {
        const event = await executor.next()
        const { _tag, agentId, callId: _, ...rest } = event as ToolEvent & { agentId: string; callId: string }
        const {
          because: _because,
          decidedBy: _by,
          createdAt: _c,
          startedAt: _s,
          endedAt: _e,
          at: _at,
          ...same
        } = rest as Record<string, unknown>
        told.push({ _tag, agentId, ...same })
        return event
      }
      const { enqueue, tasks } = { enqueue: executor.enqueue.bind(executor), tasks: executor.tasks }
      await runBatch({ ...scenario, batch: 3 }, { enqueue, next, tasks })
      return told
    }
    expect(JSON.stringify(await tell(executors.bare))).toBe(JSON.stringify(await tell(executors.stepline)))
  })
})
