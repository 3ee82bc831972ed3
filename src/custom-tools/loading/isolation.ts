/**
 * Guards the process against the foreign code that runs in it. Whatever such code starts is told from the host's by
 * its async context: it cannot end the process, and its standard input is at its end. The host sees no difference.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import fs from "node:fs"
import { Readable } from "node:stream"
import { untilNextTurn } from "./stray-errors.ts"

interface Foreign {
  /** The resolved file or the tool's name. */
  readonly owner: string
  stdin?: Readable
}

const foreign = new AsyncLocalStorage<Foreign | undefined>()

/** Whose code runs; undefined for the host's own. */
export const foreignOwner = (): string | undefined => foreign.getStore()?.owner

/** Runs foreign code: the guards hold within `work` and all that it starts. `owner` names it in errors. */
export const runIsolated = <T>(owner: string, work: () => T): T => {
  install()
  return foreign.run({ owner }, work)
}

/** Runs the host's code that foreign code called, free of the guards. */
export const runOutside = <T>(work: () => T): T => foreign.run(undefined, work)

let isInstalled = false

const install = (): void => {
  if (isInstalled) return
  isInstalled = true
  for (const name of ["exit", "reallyExit", "abort"] as const) refuse(name)
  endStdin()
  for (const name of ["readFileSync", "readSync"] as const) spareStdin(name)
}

type Ending = (...args: Array<unknown>) => never

const refuse = (name: "exit" | "reallyExit" | "abort"): void => {
  const functions = process as unknown as Record<string, Ending>
  const original = functions[name]!
  functions[name] = function (this: unknown, ...args) {
    const owner = foreignOwner()
    if (owner === undefined) return original.apply(this, args)
    const error = new Error(`${owner} called process.${name}, which would end the program that runs it`)
    // Thrown from a timer or a listener, nobody above would catch it.
    untilNextTurn((thrown) => thrown === error)
    throw error
  }
}

const endStdin = (): void => {
  const original = Object.getOwnPropertyDescriptor(process, "stdin")!
  Object.defineProperty(process, "stdin", {
    ...(original.set && { set: original.set }),
    configurable: true,
    enumerable: true,
    get() {
      const code = foreign.getStore()
      if (code === undefined) return original.get === undefined ? original.value : original.get.call(process)
      code.stdin ??= Readable.from([])
      return code.stdin
    },
  })
}

/** A synchronous read of the standard input would hold the host until somebody types, and no time-out could end it. */
const spareStdin = (name: "readFileSync" | "readSync"): void => {
  const functions = fs as unknown as Record<string, (...args: Array<unknown>) => unknown>
  const original = functions[name]!
  functions[name] = function (this: unknown, ...args) {
    const isStdin = args[0] === 0 || args[0] === "/dev/stdin"
    if (!isStdin || foreignOwner() === undefined) return original.apply(this, args)
    if (name === "readSync") return 0
    return args[1] === undefined || args[1] === null ? Buffer.alloc(0) : ""
  }
}
