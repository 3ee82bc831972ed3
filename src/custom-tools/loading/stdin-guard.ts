/**
 * Keeps foreign code and its programs from reading the host's standard input: for them it is at its end. A synchronous read
 * would block the host until somebody types, and no time-out could end it.
 */
import childProcess from "node:child_process"
import fs from "node:fs"
import { devNull } from "node:os"
import { Readable } from "node:stream"
import { replaceMethod } from "./replace-method.ts"

/** The current foreign owner, which also holds its empty stream; undefined while the host's own code runs. */
type ForeignStdin = () => { stdin?: Readable } | undefined

export const guardStdin = (foreign: ForeignStdin): void => {
  endStream(foreign)
  for (const name of ["open", "openSync", "readFile", "readFileSync"]) divert(fs, name, foreign, emptyPath)
  for (const name of ["open", "readFile"]) divert(fs.promises, name, foreign, emptyPath)
  for (const name of ["read", "readSync", "readv", "readvSync"]) divert(fs, name, foreign, emptyFile)
  // All asynchronous ways to start a program use this method.
  divertChildren(childProcess.ChildProcess.prototype, "spawn", foreign)
  for (const name of ["spawnSync", "execSync", "execFileSync"]) divertChildren(childProcess, name, foreign)
}

const endStream = (foreign: ForeignStdin): void => {
  const original = Object.getOwnPropertyDescriptor(process, "stdin")!
  Object.defineProperty(process, "stdin", {
    ...(original.set && { set: original.set }),
    configurable: true,
    enumerable: true,
    get() {
      const code = foreign()
      if (code === undefined) return original.get === undefined ? original.value : original.get.call(process)
      code.stdin ??= Readable.from([])
      return code.stdin
    },
  })
}

const stdinPaths: ReadonlySet<unknown> = new Set(["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"])

const emptyPath = (file: unknown): unknown => (file === 0 || stdinPaths.has(file) ? devNull : file)

let emptyDescriptor: number | undefined

/** Opened on first use, and never closed. */
const emptyFile = (file: unknown): unknown => {
  if (file !== 0) return file
  emptyDescriptor ??= fs.openSync(devNull, "r")
  return emptyDescriptor
}

const divert = (
  module: object,
  name: string,
  foreign: ForeignStdin,
  instead: (file: unknown) => unknown,
): void =>
  replaceMethod(
    module,
    name,
    (original) =>
      function (file, ...rest) {
        return original.call(this, foreign() === undefined ? file : instead(file), ...rest)
      },
  )

const divertChildren = (owner: object, name: string, foreign: ForeignStdin): void =>
  replaceMethod(
    owner,
    name,
    (original) =>
      function (...args) {
        return original.apply(this, foreign() === undefined ? args : args.map(withoutStdin))
      },
  )

/** Changes the options of a program to start; returns any other argument unchanged. */
const withoutStdin = (argument: unknown): unknown => {
  if (typeof argument !== "object" || argument === null) return argument
  const { stdio } = argument as { stdio?: unknown }
  if (stdio === "inherit") return { ...argument, stdio: ["ignore", "inherit", "inherit"] }
  if (!Array.isArray(stdio) || !isStdin(stdio[0])) return argument
  return { ...argument, stdio: ["ignore", ...stdio.slice(1)] }
}

const isStdin = (stream: unknown): boolean =>
  stream === "inherit" || stream === 0 || (stream as { fd?: unknown } | null | undefined)?.fd === 0
