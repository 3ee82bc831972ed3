/** What tools of other agents print is no output of the command: its stdout may be read by a program. */
import { foreignOwner } from "../custom-tools/loading/isolation.ts"

/** From now on, what such code writes to stdout, also by `console`, goes to stderr. */
export const moveForeignOutput = (): void => {
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  const writeApart = (...args: Parameters<typeof write>) =>
    foreignOwner() === undefined ? write(...args) : stderr.write(...args)
  // It has two signatures, and what it is called with in either is passed on.
  stdout.write = writeApart as typeof stdout.write
}
