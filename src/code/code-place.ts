/** Finds where in its source a program failed. */

/** Returns ` (line 3, column 5)` for the first stack frame in the source; "" if there is none. `column`: see `guestProgram`. */
export const placeIn = (
  stack: string | undefined,
  column: number,
  lines: number,
  isSyntax: boolean,
): string => {
  for (const [, line, at] of (stack ?? "").matchAll(/run\.js:(\d+):(\d+)/g)) {
    const [row, place] = [Number(line), Number(at)]
    if (row === 1 && place <= column) continue
    if (row > lines && !isSyntax) continue
    // An unclosed bracket is reported after the end of the source.
    if (row > lines) return ` (line ${lines}, at the end)`
    return ` (line ${row}, column ${row === 1 ? place - column : place})`
  }
  return ""
}
