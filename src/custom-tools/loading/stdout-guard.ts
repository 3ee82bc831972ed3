/**
 * Redirects the output of foreign code and its programs from the host's standard output, which another program may read, to
 * stderr.
 */
import { Console } from "node:console"
import fs from "node:fs"
import { divertChildren, divertFiles, pathsOf } from "./divert-stream.ts"
import { replaceMethod } from "./replace-method.ts"

export const guardStdout = (isForeign: () => boolean): void => {
  const { stdout, stderr } = process
  // Node's console also uses this method.
  replaceMethod(stdout, "write", (call, args) =>
    isForeign() ? stderr.write(...(args as Parameters<typeof stderr.write>)) : call(...args),
  )
  if (hasOwnConsole) divertConsole(isForeign)
  const functions =
    "open openSync write writeSync writev writevSync writeFile writeFileSync appendFile appendFileSync"
  divertFiles(fs, functions, isForeign, instead)
  divertFiles(fs.promises, "open writeFile appendFile", isForeign, instead)
  divertChildren({ descriptor: 1, isForeign, inChildren: 2 })
}

/** The consoles of Bun and Deno do not use `process.stdout`. */
const hasOwnConsole = process.versions.bun !== undefined || process.versions.deno !== undefined

const divertConsole = (isForeign: () => boolean): void => {
  const names = "log info debug dir dirxml table group groupCollapsed groupEnd count countReset"
  const timers = "time timeLog timeEnd"
  const onStderr = new Console(process.stderr)
  for (const name of `${names} ${timers}`.split(" ")) {
    const diverted = Reflect.get(onStderr, name) as (...args: ReadonlyArray<unknown>) => unknown
    replaceMethod(console, name, (call, args) =>
      isForeign() ? diverted.apply(onStderr, args) : call(...args),
    )
  }
}

const paths = pathsOf(1, "stdout")

const instead = (file: unknown): unknown => (file === 1 ? 2 : paths.has(file) ? "/dev/stderr" : file)
