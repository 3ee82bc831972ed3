/** Draws what a session shows at a gate, as SVG: a real call of `edit_file`, and the lines that the terminal renders of it. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { noIde, ToolExecutor, ToolRegistry } from "stepline"
import { type Block, foldBlock, renderBlock } from "stepline/hosts/terminal"
import { editFileTool } from "stepline/tools"

const source = `export const total = (items) => {
  let sum = 0
  for (const item of items) sum += item.price
  return sum
}
`
const edits = [{ old_string: "sum += item.price", new_string: "sum += item.price * item.count" }]

const columns = 76

/** The rows of the terminal, with their escape sequences. */
export const gateRows = async (): Promise<ReadonlyArray<string>> => {
  const cwd = await mkdtemp(join(tmpdir(), "stepline-"))
  try {
    await writeFile(join(cwd, "total.ts"), source)
    await using executor = new ToolExecutor(new ToolRegistry([editFileTool]), { cwd, delegates: noIde })
    let block: Block | undefined
    let rows: ReadonlyArray<string> = []
    await executor.run({ name: "edit_file", params: { path: "total.ts", edits } }, (event) => {
      block = foldBlock(block, event, event.at) ?? block
      if (event._tag !== "AwaitingApproval" || block === undefined) return
      rows = renderBlock(block, {
        width: columns,
        now: event.at,
        colors: true,
        tool: editFileTool,
        remembers: [],
        mayEdit: true,
      })
      event.deny()
    })
    return rows
  } finally {
    await rm(cwd, { recursive: true })
  }
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)

const classes: Readonly<Record<string, string>> = {
  1: "bold",
  2: "dim",
  31: "red",
  32: "green",
  33: "yellow",
  35: "magenta",
  36: "cyan",
}

const style = `
  .paper { fill: #0d1117 }
  text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #e6edf3; white-space: pre }
  .bold { font-weight: 700 } .dim { fill: #9198a1 } .red { fill: #ff7b72 } .green { fill: #7ee787 }
  .yellow { fill: #f2cc60 } .magenta { fill: #d2a8ff } .cyan { fill: #79c0ff }`

const rowHeight = 20

/** The picture of these rows. */
export const drawGate = (rows: ReadonlyArray<string>): string => {
  const texts = rows.map((row, index) => {
    let current = new Set<string>()
    const spans = row.split("\u001b[").map((part, place) => {
      const [, codes = "", text = part] = place === 0 ? [] : (/^([\d;]*)m(.*)$/s.exec(part) ?? [])
      for (const code of codes.split(";")) {
        if (code === "22") current = new Set([...current].filter((name) => name !== "bold" && name !== "dim"))
        else if (code === "39") current = new Set([...current].filter((name) => name === "bold"))
        else if (code === "0") current = new Set()
        else if (classes[code] !== undefined) current.add(classes[code])
      }
      return text === "" ? "" : `<tspan class="${[...current].join(" ")}">${escaped(text)}</tspan>`
    })
    return `<text x="20" y="${34 + index * rowHeight}">${spans.join("")}</text>`
  })
  const [width, height] = [640, 40 + rows.length * rowHeight]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A terminal at a gate: the diff of edit_file, and the keys that approve, deny or edit it">`,
    `<style>${style}\n</style>`,
    `<rect class="paper" width="${width}" height="${height}" rx="8"/>`,
    ...texts,
    "</svg>\n",
  ].join("\n")
}
