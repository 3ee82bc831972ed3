/**
 * Keeps foreign code and its programs from the standard streams of the host, by whatever name they ask for them: its input is at its
 * end, because a synchronous read would block the host until somebody types; its output, which another program may read, goes to
 * stderr.
 */
import childProcess from "node:child_process"
import { Console } from "node:console"
import fs from "node:fs"
import { devNull } from "node:os"
import { Readable } from "node:stream"

type Call = (...args: Array<unknown>) => unknown

/**
 * Has `guard` called instead of a method, with its arguments and a function that calls the original. Does nothing for a
 * missing method.
 */
export const replaceMethod = (
  owner: object,
  name: string,
  guard: (call: Call, args: Array<unknown>) => unknown,
): void => {
  const methods = owner as Record<string, Call | undefined>
  const original = methods[name]
  if (original === undefined) return
  const guarded = function (this: unknown, ...args: Array<unknown>): unknown {
    return guard((...given) => original.apply(this, given), args)
  }
  // Keep the properties that Node stores on its functions, such as for `promisify`.
  methods[name] = Object.defineProperties(guarded, Object.getOwnPropertyDescriptors(original))
}

/** A standard stream of the process. */
interface Diversion {
  readonly descriptor: number
  readonly isForeign: () => boolean
  /** For programs that foreign code starts, as in their `stdio`. */
  readonly inChildren: unknown
}

/** The paths by which a process can open one of its own descriptors. */
const pathsOf = (descriptor: number, name: string): ReadonlySet<unknown> =>
  new Set([`/dev/${name}`, `/dev/fd/${descriptor}`, `/proc/self/fd/${descriptor}`])

/** Diverts functions whose first argument is a file: its path or its descriptor. `names` are separated by spaces. */
const divertFiles = (
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
const divertChildren = (diversion: Diversion): void => {
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

/** @param foreign The current foreign owner, which also holds its empty stream; undefined while the host's own code runs. */
export const guardStdin = (foreign: () => { stdin?: Readable } | undefined): void => {
  const isForeign = () => foreign() !== undefined
  endStream(foreign)
  divertFiles(fs, "open openSync readFile readFileSync", isForeign, emptyPath)
  divertFiles(fs.promises, "open readFile", isForeign, emptyPath)
  divertFiles(fs, "read readSync readv readvSync", isForeign, emptyFile)
  divertChildren({ descriptor: 0, isForeign, inChildren: "ignore" })
}

const endStream = (foreign: Parameters<typeof guardStdin>[0]): void => {
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

const inputPaths = pathsOf(0, "stdin")

const emptyPath = (file: unknown): unknown => (file === 0 || inputPaths.has(file) ? devNull : file)

let emptyDescriptor: number | undefined

/** Opened on first use, and never closed. */
const emptyFile = (file: unknown): unknown => {
  if (file !== 0) return file
  emptyDescriptor ??= fs.openSync(devNull, "r")
  return emptyDescriptor
}

export const guardStdout = (isForeign: () => boolean): void => {
  const { stdout, stderr } = process
  // Node's console also uses this method.
  replaceMethod(stdout, "write", (call, args) =>
    isForeign() ? stderr.write(...(args as Parameters<typeof stderr.write>)) : call(...args),
  )
  // What ends a standard stream ends it for the host.
  for (const stream of [stdout, stderr]) {
    replaceMethod(stream, "end", (call, args) => {
      if (!isForeign()) return call(...args)
      const [chunk = ""] = args
      stderr.write(...((typeof chunk === "function" ? ["", chunk] : [chunk, ...args.slice(1)]) as [string]))
      return stream
    })
  }
  if (hasOwnConsole) divertConsole(isForeign)
  const functions =
    "open openSync write writeSync writev writevSync writeFile writeFileSync appendFile appendFileSync"
  divertFiles(fs, functions, isForeign, onStderr)
  divertFiles(fs.promises, "open writeFile appendFile", isForeign, onStderr)
  divertChildren({ descriptor: 1, isForeign, inChildren: 2 })
}

/** The consoles of Bun and Deno do not use `process.stdout`. */
const hasOwnConsole = process.versions.bun !== undefined || process.versions.deno !== undefined

const divertConsole = (isForeign: () => boolean): void => {
  const names = "log info debug dir dirxml table group groupCollapsed groupEnd count countReset"
  const timers = "time timeLog timeEnd"
  const own = new Console(process.stderr)
  for (const name of `${names} ${timers}`.split(" ")) {
    const diverted = Reflect.get(own, name) as (...args: ReadonlyArray<unknown>) => unknown
    replaceMethod(console, name, (call, args) => (isForeign() ? diverted.apply(own, args) : call(...args)))
  }
}

const outputPaths = pathsOf(1, "stdout")

const onStderr = (file: unknown): unknown => (file === 1 ? 2 : outputPaths.has(file) ? "/dev/stderr" : file)
