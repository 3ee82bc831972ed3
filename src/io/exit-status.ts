/** The status of a process that has ended, as shells report it. */
import { constants } from "node:os"
import type { Exit } from "./started-process.ts"

/** The status of a process that a signal ended. */
export const statusOfSignal = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]

export const exitStatus = ({ code, signal }: Exit): number => code ?? statusOfSignal(signal!)
