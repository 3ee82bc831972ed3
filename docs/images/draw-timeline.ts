/** Draws a recorded run as SVG: rows of agents, calls as bars of their handlers, gates hatched. */
import type { RecordedCall } from "./recorded-run.ts"

const width = 880
const left = 124
const right = 24
const top = 34
const rowHeight = 58
const barHeight = 20

const escaped = (text: string): string => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)

const marks: Readonly<Record<RecordedCall["outcome"], string>> = {
  Completed: "✓",
  Denied: "✗ denied",
  Error: "✗ failed",
  Cancelled: "✗ cancelled",
}

const style = `
  text { font: 12px ui-sans-serif, system-ui, sans-serif; fill: #1f2328 }
  .paper { fill: #ffffff; stroke: #d1d9e0 }
  .lane { fill: #f6f8fa }
  .row { font-weight: 600 }
  .title { font: 11px ui-monospace, monospace }
  .tick { stroke: #d1d9e0; stroke-dasharray: 2 4 }
  .time, .mark { font-size: 11px; fill: #59636e }
  .handler { fill: #2f6feb }
  .between { fill: #a8c7fa }
  .ink { stroke: #b35900; stroke-width: 2 }
  .gate { stroke: #b35900 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .paper { fill: #0d1117; stroke: #3d444d }
    .lane { fill: #151b23 }
    .tick { stroke: #3d444d }
    .time, .mark { fill: #9198a1 }
    .handler { fill: #4c8dff }
    .between { fill: #1f3b6d }
    .ink { stroke: #f0a35e }
    .gate { stroke: #f0a35e }
  }`

const hatch =
  '<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line class="ink" x1="0" y1="0" x2="0" y2="6"/></pattern>'

const rowNames: Readonly<Record<string, string>> = { main: "agent main", reviewer: "agent reviewer" }

/** The picture of a run. */
export const drawTimeline = (calls: ReadonlyArray<RecordedCall>): string => {
  const rows = [...new Set(calls.map(({ row }) => row))].sort(
    (a, b) => Number(a === "background") - Number(b === "background"),
  )
  const total = Math.max(...calls.map(({ end }) => end))
  // Room behind the last bar for its mark.
  const x = (millis: number): number => Math.round(left + (millis / total) * (width - left - right - 70))
  const bottom = top + rows.length * rowHeight
  const box = (kind: string, start: number, end: number, y: number, more = ""): string =>
    `<rect class="${kind}" x="${x(start)}" y="${y}" width="${Math.max(x(end) - x(start), 2)}" height="${barHeight}"${more}/>`

  const parts: Array<string> = []
  for (let second = 0; second * 1000 <= total; second++) {
    const at = x(second * 1000)
    parts.push(`<line class="tick" x1="${at}" y1="${top - 8}" x2="${at}" y2="${bottom}"/>`)
    parts.push(`<text class="time" x="${at}" y="${top - 14}" text-anchor="middle">${second} s</text>`)
  }
  for (const [index, row] of rows.entries()) {
    const y = top + index * rowHeight
    parts.push(`<rect class="lane" x="8" y="${y}" width="${width - 16}" height="${rowHeight - 6}" rx="6"/>`)
    parts.push(`<text class="row" x="16" y="${y + 38}">${escaped(rowNames[row] ?? row)}</text>`)
    for (const call of calls.filter((each) => each.row === row)) {
      const bar = y + 24
      parts.push(`<text class="title" x="${x(call.start)}" y="${bar - 7}">${escaped(call.title)}</text>`)
      parts.push(box("between", call.start, call.end, bar, ' rx="2"'))
      for (const { kind, start, end } of call.stretches) {
        parts.push(box(kind, start, end, bar, kind === "gate" ? ' fill="url(#hatch)"' : ""))
      }
      parts.push(`<text class="mark" x="${x(call.end) + 6}" y="${bar + 14}">${marks[call.outcome]}</text>`)
    }
  }
  const legend = bottom + 18
  parts.push(
    `<rect class="handler" x="${left}" y="${legend - 9}" width="14" height="10"/>`,
    `<text class="time" x="${left + 20}" y="${legend}">a handler runs</text>`,
    `<rect class="gate" x="${left + 130}" y="${legend - 9}" width="14" height="10" fill="url(#hatch)"/>`,
    `<text class="time" x="${left + 150}" y="${legend}">a gate: the call waits for a person</text>`,
  )
  const height = bottom + 32
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A timeline of calls of two agents and a background task">`,
    `<style>${style}\n</style>`,
    `<defs>${hatch}</defs>`,
    `<rect class="paper" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    // Titles over lanes, lanes over nothing.
    ...parts.filter((part) => part.includes('class="lane"')),
    ...parts.filter((part) => !part.includes('class="lane"')),
    "</svg>\n",
  ].join("\n")
}
