/** What the session's own commands print, and what the Tab key completes. */
import type { BackgroundTask } from "../../pipeline/background-tasks.ts"
import type { ToolRegistry } from "../../pipeline/registry.ts"
import { usageOf } from "./arguments.ts"
import { clip, columnsOf, wrap } from "./columns.ts"
import { sessionCommands } from "./input.ts"
import { mainArgumentOf } from "./render-header.ts"
import { singleLine } from "./render-text.ts"
import type { Style } from "./style.ts"

interface Screen {
  readonly width: number
  readonly style: Style
}

type Row = readonly [left: string, right: string]

const table = (rows: ReadonlyArray<Row>, { width, style }: Screen): Array<string> => {
  const widest = Math.min(44, Math.max(...rows.map(([left]) => columnsOf(left))))
  return rows.map(([left, right]) => {
    const shown = clip(left, width - 2)
    const padding = " ".repeat(Math.max(0, widest - columnsOf(shown)) + 2)
    return `  ${shown}${style.dim(clip(padding + right, width - 2 - columnsOf(shown)))}`
  })
}

const firstSentence = (text: string): string => /^.*?[.](?=\s|$)/s.exec(text)?.[0] ?? text

export const toolLines = (registry: ToolRegistry, screen: Screen): Array<string> =>
  table(
    [...registry]
      .filter((tool) => !tool.hidden)
      .map((tool): Row => [usageOf(tool), singleLine(firstSentence(tool.description))]),
    screen,
  )

const keys: ReadonlyArray<Row> = [
  ["y n a", "at a gate: yes, no, always allow calls like this"],
  ["Ctrl-C", "denies what waits, else cancels what runs, else leaves"],
  ["Ctrl-B", "moves the running call to the background"],
  ["Ctrl-O", "shows the last output unfolded"],
  ["Ctrl-D", "leaves"],
]

export const helpLines = (registry: ToolRegistry, screen: Screen): Array<string> => [
  ...wrap(
    "Calls: a tool's name and its arguments, in order or as a JSON object; & at the end runs it in the background.",
    screen.width,
  ),
  ...toolLines(registry, screen),
  "Commands:",
  ...table(
    Object.values(sessionCommands).map(({ usage, does }): Row => [usage, does]),
    screen,
  ),
  "Keys:",
  ...table(keys, screen),
]

export const taskLines = (
  tasks: ReadonlyArray<BackgroundTask>,
  registry: ToolRegistry,
  screen: Screen,
): Array<string> => {
  if (tasks.length === 0) return [screen.style.dim("No background tasks.")]
  return table(
    tasks.map(({ id, name, params, status }): Row => {
      const { text } = mainArgumentOf(params, registry.get(name))
      return [`${id} ${name}(${clip(singleLine(text), 60)})`, status]
    }),
    screen,
  )
}

/** What the last word of a line may become. */
export const completions = (
  line: string,
  registry: ToolRegistry,
  tasks: ReadonlyArray<BackgroundTask>,
): Array<string> => {
  const [, first = "", gap = "", word = ""] = /^(\S*)(\s*)(.*)$/.exec(line)!
  if (gap === "") {
    const words = [...registry.names, ...Object.keys(sessionCommands).map((name) => `/${name}`)]
    return words.filter((name) => name.startsWith(first)).map((name) => `${name} `)
  }
  if (first !== "/take" && first !== "/cancel") return []
  return tasks.map(({ id }) => id).filter((id) => id.startsWith(word))
}
