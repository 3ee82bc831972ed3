/** The output of the session's own commands. */
import type { Correction } from "../../io/corrections.ts"
import type { PendingAction } from "../../model/pending-actions.ts"
import type { BackgroundTask } from "../../tasks/background-tasks.ts"
import type { CallChanges } from "../../undo/changes.ts"
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

const maxCandidates = 200

/** Completions of a word, side by side. */
export const candidateLines = (
  candidates: ReadonlyArray<string>,
  { width, style }: Screen,
): Array<string> => {
  const names = candidates.slice(0, maxCandidates).map((name) => visibleLine(name.trim()))
  const more = candidates.length - names.length
  const column = Math.max(...names.map(columnsOf)) + 2
  const across = Math.max(1, Math.floor(width / column))
  const lines: Array<string> = []
  for (let at = 0; at < names.length; at += across) {
    const row = names.slice(at, at + across)
    lines.push(
      clip(
        row
          .map((name) => name + " ".repeat(column - columnsOf(name)))
          .join("")
          .trimEnd(),
        width,
      ),
    )
  }
  return [...lines, ...(more > 0 ? [`… and ${more} more`] : [])].map(style.dim)
}

/** Rows of two pairs each, so that the help fits a screen. */
const pairs = (rows: ReadonlyArray<Row>, screen: Screen): Array<string> => {
  if (screen.width < 76) return table(rows, screen)
  const half = Math.ceil(rows.length / 2)
  const column = Math.floor(Math.min(screen.width, 100) / 2)
  const widestOf = (side: ReadonlyArray<Row>) => Math.max(...side.map(([left]) => columnsOf(left)))
  const sides = [rows.slice(0, half), rows.slice(half)]
  return rows.slice(0, half).map((_, index) =>
    sides
      .map((side, at) => {
        const [left, right] = side[index] ?? ["", ""]
        const start = `  ${left.padEnd(widestOf(side))}  `
        const said = clip(right, column - start.length)
        return start + screen.style.dim(at === 0 ? said.padEnd(column - start.length) : said)
      })
      .join(""),
  )
}

const keys: ReadonlyArray<Row> = [
  ["ynael", "yes, no, always, edit, list"],
  ["Space", "rest of a gate; End: its end"],
  ["Esc", "goes back, or turns it down"],
  ["Ctrl-C", "denies, cancels, or leaves"],
  ["Ctrl-B", "to the background"],
  ["Ctrl-O", "unfolds the last output"],
  ["Tab", "completes names and paths"],
  ["Ctrl-R", "finds a line that was typed"],
  ["Ctrl-J", "begins another line of a call"],
  ["Ctrl-D", "leaves"],
]

/** Fits a screen of 80 by 24. */
export const helpLines = (screen: Screen): Array<string> => [
  ...wrap(
    'Calls: a tool and its arguments, in order or as JSON: read_file a.txt 1 20, shell npm test, edit_file a.txt {"edits": …}. !npm test is the shell too; & at the end means the background. /tools lists the tools.',
    screen.width,
  ),
  "Commands:",
  ...table(
    Object.values(sessionCommands).flatMap(({ usage, does }): Array<Row> => (does ? [[usage, does]] : [])),
    screen,
  ),
  "Keys:",
  ...pairs(keys, screen),
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

const maxChanges = 50

const changeOf = ({ paths, handlers = [], unknown = [], undoneBy }: CallChanges): string => {
  const done = [...paths.map(({ what, path }) => `${what} ${path}`), ...handlers, ...unknown]
  const text = done.slice(0, 3).join(", ") + (done.length > 3 ? ` and ${done.length - 3} more` : "")
  return singleLine(undoneBy === undefined ? text : `taken back: ${text}`)
}

/** @param changes From the oldest to the latest. */
export const changeLines = (changes: ReadonlyArray<CallChanges>, screen: Screen): Array<string> => {
  if (changes.length === 0) return [screen.style.dim("Nothing was changed.")]
  const older = changes.length - maxChanges
  return [
    ...table(
      changes
        .slice(-maxChanges)
        .reverse()
        .map((call): Row => [`${visibleLine(call.callId)} ${visibleLine(call.name)}`, changeOf(call)]),
      screen,
    ),
    ...(older > 0 ? [screen.style.dim(`… and ${older} older`)] : []),
  ]
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

/** The note before the prompt while previews are pending, with the latest label; the line keeps half of the width. */
export const pendingNote = (actions: ReadonlyArray<PendingAction>, width: number): string => {
  const latest = actions.at(-1)
  if (latest === undefined) return ""
  const count = `[${actions.length} pending`
  const label = clip(visibleLine(latest.label), Math.floor(width / 2) - columnsOf(`${count}: ] `))
  return label === "" ? `${count}] ` : `${count}: ${label}] `
}
