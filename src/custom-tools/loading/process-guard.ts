/** Prevents foreign code from ending the process or changing its directory. Node does not allow guarding `process.exitCode`. */
import { replaceMethod } from "./replace-method.ts"

/** Returns the owner of the running code; undefined for the host's own, for which nothing changes. */
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

/** Whether a signal would end this process, by itself or with its group. Signal 0 only checks that it exists. */
const endsThisProcess = (pid: unknown, signal: unknown): boolean =>
  [process.pid, -process.pid, 0].includes(Number(pid)) && signal !== 0
