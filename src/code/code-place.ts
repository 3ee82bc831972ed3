/** Where in its source a program failed. */

/** ` (line 3, column 5)`, of the first place on the stack that is in the source; "" where there is none. `column`: see `guestProgram`. */
export const placeIn = (stack: string | undefined, column: number, lines: number): string => {
  for (const [, line, at] of (stack ?? "").matchAll(/run\.js:(\d+):(\d+)/g)) {
    const [row, place] = [Number(line), Number(at)]
    if (row > lines || (row === 1 && place <= column)) continue
    return ` (line ${row}, column ${row === 1 ? place - column : place})`
  }
  return ""
}
