/** Keeps foreign code from what would end the process or move it elsewhere. Node lets nobody guard `process.exitCode`. */
import { replaceMethod } from "./replace-method.ts"

/** Whose code runs; undefined for the host's own, for which nothing changes. */
type OwnerOf = () => string | undefined

export const guardProcess = (ownerOf: OwnerOf): void => {
  for (const name of ["exit", "reallyExit", "abort"]) refuse(ownerOf, name, "end")
  refuse(ownerOf, "kill", "end", endsThisProcess)
  refuse(ownerOf, "chdir", "move")
}

const refuse = (
  ownerOf: OwnerOf,
  name: string,
  harm: "end" | "move",
  isHarmful: (...args: Array<unknown>) => boolean = () => true,
): void =>
  replaceMethod(
    process,
    name,
    (original) =>
      function (...args) {
        const owner = ownerOf()
        if (owner === undefined || !isHarmful(...args)) return original.apply(this, args)
        throw new Error(`${owner} called process.${name}, which would ${harm} the program that runs it`)
      },
  )

/** The process by itself or with its group. Signal 0 only asks whether it is there. */
const endsThisProcess = (pid: unknown, signal: unknown): boolean =>
  [process.pid, -process.pid, 0].includes(Number(pid)) && signal !== 0
