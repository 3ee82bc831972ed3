/** What a section measured, and how it is printed. */

export type Unit = "ns" | "ms" | "bytes" | "timers"

export interface Figure {
  readonly name: string
  readonly unit: Unit
  readonly stepline: number
  /** The same work without stepline. */
  readonly baseline?: number
  /** The largest value that we aim at. */
  readonly most?: number
  /** The largest ratio to the baseline that we aim at. */
  readonly mostTimes?: number
}

export interface SectionResult {
  readonly title: string
  /** What the baseline is. */
  readonly baseline?: string
  readonly figures: ReadonlyArray<Figure>
  /** Why something was left out. */
  readonly notes?: ReadonlyArray<string>
}

const digits = (value: number): string =>
  value.toLocaleString("en-US", { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 })

const aimOf = ({ stepline, baseline = Number.NaN, most, mostTimes }: Figure): string => {
  if (most !== undefined) return `${digits(most)} ${stepline <= most ? "met" : "MISSED"}`
  if (mostTimes === undefined) return ""
  return `${mostTimes}x ${stepline / baseline <= mostTimes ? "met" : "MISSED"}`
}

const cells = (figure: Figure): Array<string> => {
  const { name, unit, stepline, baseline } = figure
  return [
    name,
    unit,
    baseline === undefined ? "" : digits(baseline),
    digits(stepline),
    baseline === undefined || baseline === 0 ? "" : `${(stepline / baseline).toFixed(2)}x`,
    aimOf(figure),
  ]
}

export const renderSection = ({ title, baseline, figures, notes = [] }: SectionResult): string => {
  const rows = [[title, "unit", baseline ?? "", "stepline", "ratio", "at most"], ...figures.map(cells)]
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (column < 2 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join("  ")
      .trimEnd(),
  )
  lines.splice(1, 0, widths.map((width) => "-".repeat(width)).join("  "))
  return [...lines, ...notes.map((note) => `  ${note}`)].join("\n")
}
