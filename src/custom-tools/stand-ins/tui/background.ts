/** Pads lines to the full width, on a background. */
import { padTo } from "./ansi-text.ts"

export type Paint = (text: string) => string

/** Without a background, a line is not padded. */
const onBackground = (line: string, width: number, paint: Paint | undefined): string =>
  paint === undefined ? line : paint(padTo(line, width))

/** Adds margins: `x` columns on the left (the caller's wrapping leaves the right free), and `y` lines. */
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
