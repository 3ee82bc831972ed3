/** Gives foreign code something else for a standard stream of the process, by whatever name it asks for it. */
import childProcess from "node:child_process"
import { replaceMethod } from "./replace-method.ts"

/** A standard stream of the process, and what foreign code gets for it. */
export interface Diversion {
  readonly descriptor: number
  readonly isForeign: () => boolean
  /** For programs that the code starts, as in their `stdio`. */
  readonly inChildren: unknown
}

/** The paths by which a process can open one of its own descriptors. */
export const pathsOf = (descriptor: number, name: string): ReadonlySet<unknown> =>
  new Set([`/dev/${name}`, `/dev/fd/${descriptor}`, `/proc/self/fd/${descriptor}`])

/** Diverts functions whose first argument is a file: its path or its descriptor. `names` are separated by spaces. */
export const divertFiles = (
  module: object,
  names: string,
  isForeign: () => boolean,
  instead: (file: unknown) => unknown,
): void => {
  for (const name of names.split(" ")) {
    replaceMethod(module, name, (call, args) => {
      const [file, ...rest] = args
      return isForeign() ? call(instead(file), ...rest) : call(...args)
    })
  }
}

/** Diverts what programs inherit. */
export const divertChildren = (diversion: Diversion): void => {
  const divert = (owner: object, name: string) =>
    replaceMethod(owner, name, (call, args) =>
      call(...(diversion.isForeign() ? args.map((argument) => diverted(argument, diversion)) : args)),
    )
  // All asynchronous ways to start a program use this method.
  divert(childProcess.ChildProcess.prototype, "spawn")
  for (const name of ["spawnSync", "execSync", "execFileSync"]) divert(childProcess, name)
}

/** Changes the options of a program to start; returns any other argument unchanged. */
const diverted = (argument: unknown, { descriptor, inChildren }: Diversion): unknown => {
  if (typeof argument !== "object" || argument === null) return argument
  const { stdio } = argument as { stdio?: unknown }
  const streams = stdio === "inherit" ? ["inherit", "inherit", "inherit"] : stdio
  if (!Array.isArray(streams)) return argument
  const isDiverted = (stream: unknown, index: number): boolean =>
    (index === descriptor && stream === "inherit") ||
    stream === descriptor ||
    (stream as { fd?: unknown } | null | undefined)?.fd === descriptor
  return {
    ...argument,
    stdio: streams.map((stream, index) => (isDiverted(stream, index) ? inChildren : stream)),
  }
}
