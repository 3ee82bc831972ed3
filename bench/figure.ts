/** What a section measures, and the table that it prints: Markdown, so that the documentation shows the same. */

export interface Row {
  readonly name: string
  readonly unit: "ns" | "ms" | "bytes" | "timers"
  /** The most that we aim at: a value, a multiple of the baseline, or so much more than the baseline. */
  readonly most?: number
  readonly mostTimes?: number
  readonly mostMore?: number
}

export interface Measured {
  readonly stepline: number
  readonly baseline?: number
}

export interface Section {
  readonly title: string
  /** What the baseline is. */
  readonly baseline: string
  readonly rows: ReadonlyArray<Row>
  /** Gives a figure for each row, in their order. */
  measure(quick: boolean): Promise<ReadonlyArray<Measured>>
}

const show = (value: number, unit: string): string => {
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0
  return `${value.toLocaleString("en-US", { maximumFractionDigits: digits })} ${unit}`
}

export const aimOf = ({ unit, most, mostTimes, mostMore }: Row): string => {
  if (mostTimes !== undefined) return `${mostTimes}x`
  if (mostMore !== undefined) return `${show(mostMore, unit)} more`
  return most === undefined ? "" : show(most, unit)
}

const isMissed = ({ most, mostTimes, mostMore }: Row, { stepline, baseline = 0 }: Measured): boolean => {
  const limit = most ?? (mostTimes === undefined ? baseline + (mostMore ?? Number.NaN) : baseline * mostTimes)
  return stepline > limit
}

const cells = (row: Row, measured: Measured): Array<string> => {
  const { stepline, baseline } = measured
  const ratio = baseline ? (stepline / baseline).toFixed(2) : ""
  const aim = aimOf(row) + (isMissed(row, measured) ? " MISSED" : "")
  return [
    row.name,
    baseline === undefined ? "" : show(baseline, row.unit),
    show(stepline, row.unit),
    ratio,
    aim,
  ]
}

export const renderSection = (
  { title, baseline, rows }: Section,
  measured: ReadonlyArray<Measured>,
): string => {
  const table = [
    [title, baseline, "stepline", "ratio", "at most"],
    ["---", "--:", "--:", "--:", "---"],
    ...rows.map((row, index) => cells(row, measured[index]!)),
  ]
  const widths = table[0]!.map((_, column) => Math.max(...table.map((line) => line[column]!.length)))
  return table.map((line) => `| ${line.map((cell, at) => cell.padEnd(widths[at]!)).join(" | ")} |`).join("\n")
}

/** The text with the table of this section replaced, where it has one. */
export const withTable = (text: string, { title }: Section, table: string): string =>
  text
    .split("\n\n")
    .map((block) => (block.startsWith(`| ${title} `) ? table : block))
    .join("\n\n")
