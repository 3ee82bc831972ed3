/** Lines as wide as they may be, on a background. */
import { padTo } from "./ansi-text.ts"

export type Paint = (text: string) => string

/** Without a background a line is as long as its text. */
const onBackground = (line: string, width: number, paint: Paint | undefined): string =>
  paint === undefined ? line : paint(padTo(line, width))

/** Lines with margins: `x` columns on the left, where the right is kept free by who wrapped them, and `y` lines. */
export const withPadding = (
  lines: ReadonlyArray<string>,
  {
    width,
    x,
    y,
    paint,
  }: { readonly width: number; readonly x: number; readonly y: number; readonly paint?: Paint | undefined },
): Array<string> => {
  const margin = " ".repeat(x)
  const empty = Array.from({ length: y }, () => onBackground("", width, paint))
  return [...empty, ...lines.map((line) => onBackground(margin + line, width, paint)), ...empty]
}
