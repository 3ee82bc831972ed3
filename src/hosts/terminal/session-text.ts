/** What the session's own commands print, and what the Tab key completes. */
import type { Correction } from "../../io/corrections.ts"
import type { PendingAction } from "../../pipeline/model/staged-action.ts"
import type { BackgroundTask } from "../../pipeline/stores/background-tasks.ts"
import { usageOf } from "./arguments.ts"
import { clip, columnsOf, wrap } from "./columns.ts"
import { type CallableTools, sessionCommands } from "./input.ts"
import { mainArgumentOf } from "./render-header.ts"
import { singleLine, visibleLine } from "./render-text.ts"
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

export const toolLines = (tools: CallableTools, screen: Screen): Array<string> =>
  table(
    tools.names.map((name): Row => {
      const tool = tools.get(name)!
      return [usageOf(tool), singleLine(firstSentence(tool.description))]
    }),
    screen,
  )

const keys: ReadonlyArray<Row> = [
  ["y n a", "at a gate: yes, no, always allow calls like this"],
  ["Esc", "turns down what a tool asks"],
  ["Ctrl-C", "denies what waits, else cancels what runs, else leaves"],
  ["Ctrl-B", "moves the running call to the background"],
  ["Ctrl-O", "shows the last output unfolded"],
  ["Ctrl-D", "leaves"],
]

export const helpLines = (tools: CallableTools, screen: Screen): Array<string> => [
  ...wrap(
    "Calls: a tool's name and its arguments, in order or as a JSON object; & at the end runs it in the background.",
    screen.width,
  ),
  ...toolLines(tools, screen),
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
  tools: CallableTools,
  screen: Screen,
): Array<string> => {
  if (tasks.length === 0) return [screen.style.dim("No background tasks.")]
  return table(
    tasks.map(({ id, name, params, status }): Row => {
      const { text } = mainArgumentOf(params, tools.get(name))
      return [`${id} ${name}(${clip(visibleLine(text), 60)})`, status]
    }),
    screen,
  )
}

/** @param actions From the oldest to the latest. */
export const pendingLines = (actions: ReadonlyArray<PendingAction>, screen: Screen): Array<string> => {
  if (actions.length === 0) return [screen.style.dim("Nothing is pending.")]
  return table(
    [...actions]
      .reverse()
      .map(
        ({ actionId, label, sourceToolName }): Row => [`${actionId} ${visibleLine(label)}`, sourceToolName],
      ),
    screen,
  )
}

const maxCorrections = 50

/** @param mark One column wide. */
const behindMark = (mark: string, text: string, width: number): Array<string> =>
  wrap(singleLine(text), width - 4).map((line, index) => `  ${index === 0 ? mark : " "} ${line}`)

/** @param corrections The newest first. */
export const correctionLines = (
  corrections: ReadonlyArray<Correction>,
  { width, style }: Screen,
): Array<string> => {
  if (corrections.length === 0) return [style.dim("No corrections are recorded here.")]
  const older = corrections.length - maxCorrections
  return [
    ...corrections
      .slice(0, maxCorrections)
      .flatMap(({ goal, failed_attempt, successful_approach }) => [
        ...wrap(singleLine(goal), width),
        ...behindMark(style.bad("✗"), failed_attempt, width),
        ...behindMark(style.good("✓"), successful_approach, width),
      ]),
    ...(older > 0 ? [style.dim(`… and ${older} older`)] : []),
  ]
}

/** What stands before the prompt while previews wait, with the latest one's label; the line keeps half of the width. */
export const pendingNote = (actions: ReadonlyArray<PendingAction>, width: number): string => {
  const latest = actions.at(-1)
  if (latest === undefined) return ""
  const count = `[${actions.length} pending`
  const label = clip(visibleLine(latest.label), Math.floor(width / 2) - columnsOf(`${count}: ] `))
  return label === "" ? `${count}] ` : `${count}: ${label}] `
}

/** What the last word of a line may become. */
export const completions = (
  line: string,
  tools: CallableTools,
  tasks: ReadonlyArray<BackgroundTask>,
): Array<string> => {
  const [, first = "", gap = "", word = ""] = /^(\S*)(\s*)(.*)$/.exec(line)!
  if (gap === "") {
    const words = [...tools.names, ...Object.keys(sessionCommands).map((name) => `/${name}`)]
    return words.filter((name) => name.startsWith(first)).map((name) => `${name} `)
  }
  if (first !== "/take" && first !== "/cancel") return []
  return tasks.map(({ id }) => id).filter((id) => id.startsWith(word))
}
