/** Prevents foreign code from ending the process or changing its directory. Node does not allow guarding `process.exitCode`. */
import { replaceMethod } from "./replace-method.ts"

/** Returns the owner of the running code; undefined for the host's own, for which nothing changes. */
type OwnerOf = () => string | undefined

export const guardProcess = (ownerOf: OwnerOf): void => {
  const refuse = (name: string, harm: "end" | "move", isHarmful: (args: Array<unknown>) => boolean): void =>
    replaceMethod(process, name, (call, args) => {
      const owner = ownerOf()
      if (owner === undefined || !isHarmful(args)) return call(...args)
      throw new Error(`${owner} called process.${name}, which would ${harm} the program that runs it`)
    })
  for (const name of ["exit", "reallyExit", "abort"]) refuse(name, "end", () => true)
  refuse("kill", "end", endsThisProcess)
  refuse("chdir", "move", () => true)
}

/** Whether a signal would end this process, by itself or with its group. Signal 0 only checks that it exists. */
const endsThisProcess = ([pid, signal]: Array<unknown>): boolean =>
  [process.pid, -process.pid, 0].includes(Number(pid)) && signal !== 0
