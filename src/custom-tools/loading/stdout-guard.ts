/**
 * Redirects the output of foreign code and its programs from the host's standard output, which another program may read, to
 * stderr.
 */
import childProcess from "node:child_process"
import { Console } from "node:console"
import fs from "node:fs"
import { replaceMethod } from "./replace-method.ts"

export const guardStdout = (isForeign: () => boolean): void => {
  const { stdout, stderr } = process
  // Node's console also uses this method.
  replaceMethod(
    stdout,
    "write",
    (original) =>
      function (...args) {
        return isForeign()
          ? stderr.write(...(args as Parameters<typeof stderr.write>))
          : original.apply(this, args)
      },
  )
  if (hasOwnConsole) divertConsole(isForeign)
  const functions =
    "open openSync write writeSync writev writevSync writeFile writeFileSync appendFile appendFileSync"
  for (const name of functions.split(" ")) divert(fs, name, isForeign)
  for (const name of ["open", "writeFile", "appendFile"]) divert(fs.promises, name, isForeign)
  divertChildren(childProcess.ChildProcess.prototype, "spawn", isForeign)
  for (const name of ["spawnSync", "execSync", "execFileSync"]) divertChildren(childProcess, name, isForeign)
}

/** The consoles of Bun and Deno do not use `process.stdout`. */
const hasOwnConsole = process.versions.bun !== undefined || process.versions.deno !== undefined

const divertConsole = (isForeign: () => boolean): void => {
  const names = "log info debug dir dirxml table group groupCollapsed groupEnd count countReset"
  const timers = "time timeLog timeEnd"
  const onStderr = new Console(process.stderr)
  for (const name of `${names} ${timers}`.split(" ")) {
    const diverted = Reflect.get(onStderr, name) as (...args: ReadonlyArray<unknown>) => unknown
    replaceMethod(
      console,
      name,
      (original) =>
        function (...args) {
          return isForeign() ? diverted.apply(onStderr, args) : original.apply(this, args)
        },
    )
  }
}

const stdoutPaths: ReadonlySet<unknown> = new Set(["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])

const instead = (file: unknown): unknown => (file === 1 ? 2 : stdoutPaths.has(file) ? "/dev/stderr" : file)

const divert = (module: object, name: string, isForeign: () => boolean): void =>
  replaceMethod(
    module,
    name,
    (original) =>
      function (file, ...rest) {
        return original.call(this, isForeign() ? instead(file) : file, ...rest)
      },
  )

const divertChildren = (owner: object, name: string, isForeign: () => boolean): void =>
  replaceMethod(
    owner,
    name,
    (original) =>
      function (...args) {
        return original.apply(this, isForeign() ? args.map(withoutStdout) : args)
      },
  )

/** Changes the options of a program to start; returns any other argument unchanged. */
const withoutStdout = (argument: unknown): unknown => {
  if (typeof argument !== "object" || argument === null) return argument
  const { stdio } = argument as { stdio?: unknown }
  if (stdio === "inherit") return { ...argument, stdio: ["inherit", 2, "inherit"] }
  if (!Array.isArray(stdio)) return argument
  return { ...argument, stdio: stdio.map((stream, index) => (isStdout(stream, index) ? 2 : stream)) }
}

const isStdout = (stream: unknown, index: number): boolean =>
  (index === 1 && stream === "inherit") ||
  stream === 1 ||
  (stream as { fd?: unknown } | null | undefined)?.fd === 1
