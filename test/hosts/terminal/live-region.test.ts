import xterm from "@xterm/headless"
import { beforeEach, describe, expect, test } from "vitest"
import { LiveRegion } from "../../../src/hosts/terminal/live-region.ts"

let terminal: xterm.Terminal
let region: LiveRegion
let written: Array<string>

const open = (columns: number, rows: number): void => {
  terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true })
  written = []
  region = new LiveRegion({
    get columns() {
      return terminal.cols
    },
    get rows() {
      return terminal.rows
    },
    write: (text) => written.push(text),
  })
}

/** All lines that the terminal holds, scrolled off or not. */
const lines = async (): Promise<Array<string>> => {
  await new Promise<void>((resolve) => terminal.write(written.splice(0).join(""), resolve))
  const { active } = terminal.buffer
  const all = Array.from({ length: active.baseY + terminal.rows }, (_, row) =>
    active.getLine(row)!.translateToString(true),
  )
  while (all.at(-1) === "") all.pop()
  return all
}

beforeEach(() => open(20, 6))

describe("LiveRegion", () => {
  test("draws over what it drew before, shorter or longer", async () => {
    region.draw({ live: ["one", "two two two", "three"] })
    region.draw({ live: ["uno", "dos"] })
    expect(await lines()).toEqual(["uno", "dos"])
    region.draw({ live: ["a", "b", "c", "d"] })
    expect(await lines()).toEqual(["a", "b", "c", "d"])
  })

  test("takes a terminal that knows no size for one of 80 columns and 24 rows", () => {
    const output: Array<string> = []
    region = new LiveRegion({ columns: 0, rows: 0, write: (text) => output.push(text) })
    const live = Array.from({ length: 30 }, (_, index) => `line ${index}`)
    region.draw({ live, cursor: { row: 29, column: 3 } })
    region.draw({ live: ["end"] })
    expect(output[0]).not.toContain("line 6")
    expect(output[0]).toContain("line 7")
    expect(output[1]).toContain("\u001b[22A")
  })

  test("prints above itself, and what was printed scrolls off whole", async () => {
    for (let count = 1; count <= 9; count += 1) {
      region.draw({ printed: [`printed ${count}`], live: [`live ${count}`, "prompt"] })
    }
    expect(await lines()).toEqual([
      ...Array.from({ length: 9 }, (_, index) => `printed ${index + 1}`),
      "live 9",
      "prompt",
    ])
  })

  test("puts the cursor where the frame says", async () => {
    region.draw({ printed: ["x"], live: ["one", "two", "three"], cursor: { row: 1, column: 2 } })
    await lines()
    expect(terminal.buffer.active).toMatchObject({ cursorX: 2, cursorY: 2 })
    region.draw({ live: ["one"], cursor: { row: 0, column: 3 } })
    expect(await lines()).toEqual(["x", "one"])
    expect(terminal.buffer.active).toMatchObject({ cursorX: 3, cursorY: 1 })
  })

  test("writes nothing for a frame that is on the screen already, and one write for any other", () => {
    const frame = { live: ["one"], cursor: { row: 0, column: 1 } }
    region.draw(frame)
    expect(written).toHaveLength(1)
    region.draw({ ...frame })
    expect(written).toHaveLength(1)
    region.draw({ ...frame, cursor: { row: 0, column: 2 } })
    expect(written).toHaveLength(2)
  })

  test("shows the end of a frame that is higher than the terminal", async () => {
    region.draw({ printed: ["before"], live: ["first", "a", "b", "c", "d", "e", "last"] })
    region.draw({ live: ["first", "a", "b", "c", "d", "E", "last"] })
    expect(await lines()).toEqual(["before", "b", "c", "d", "E", "last"])
  })

  test("leaves no remains on a terminal that became narrower and broke its lines", async () => {
    region.draw({
      printed: ["printed"],
      live: ["0123456789012345678", "second", "prompt"],
      cursor: { row: 2, column: 6 },
    })
    await lines()
    terminal.resize(10, 6)
    region.draw({ live: ["012345678", "second", "prompt"], cursor: { row: 2, column: 6 } })
    expect(await lines()).toEqual(["printed", "012345678", "second", "prompt"])
  })

  test("gives the terminal back: no live lines, a cursor, and room for the shell's prompt", async () => {
    region.draw({ printed: ["printed"], live: ["live", "prompt"] })
    region.close()
    const end = written.join("")
    expect(end.lastIndexOf("\u001b[?25h")).toBeGreaterThan(end.lastIndexOf("\u001b[?25l"))
    expect(await lines()).toEqual(["printed"])
    expect(terminal.buffer.active).toMatchObject({ cursorX: 0, cursorY: 1 })
  })

  test("never uses the alternate screen", () => {
    region.draw({ printed: ["a"], live: ["b"] })
    region.close()
    expect(written.join("")).not.toContain("\u001b[?1049h")
  })
})
