/**
 * Keeps foreign code and its programs from reading the host's standard input: for them it is at its end. A synchronous read
 * would block the host until somebody types, and no time-out could end it.
 */
import fs from "node:fs"
import { devNull } from "node:os"
import { Readable } from "node:stream"
import { divertChildren, divertFiles, pathsOf } from "./divert-stream.ts"

/** The current foreign owner, which also holds its empty stream; undefined while the host's own code runs. */
type ForeignStdin = () => { stdin?: Readable } | undefined

export const guardStdin = (foreign: ForeignStdin): void => {
  const isForeign = () => foreign() !== undefined
  endStream(foreign)
  divertFiles(fs, "open openSync readFile readFileSync", isForeign, emptyPath)
  divertFiles(fs.promises, "open readFile", isForeign, emptyPath)
  divertFiles(fs, "read readSync readv readvSync", isForeign, emptyFile)
  divertChildren({ descriptor: 0, isForeign, inChildren: "ignore" })
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

const paths = pathsOf(0, "stdin")

const emptyPath = (file: unknown): unknown => (file === 0 || paths.has(file) ? devNull : file)

let emptyDescriptor: number | undefined

/** Opened on first use, and never closed. */
const emptyFile = (file: unknown): unknown => {
  if (file !== 0) return file
  emptyDescriptor ??= fs.openSync(devNull, "r")
  return emptyDescriptor
}
