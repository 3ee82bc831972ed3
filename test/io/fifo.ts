/** A named pipe: what is read from it waits for what is written to it, in whichever process. */
import { execFileSync } from "node:child_process"

export const makeFifo = (path: string): void => {
  execFileSync("bash", ["-c", 'mkfifo "$0"', path])
}
