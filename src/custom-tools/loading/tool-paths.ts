/** Resolves configured paths, and tells which files are modules of tools. */
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { got } from "../../model/got.ts"
import { expandHome } from "../../text/expand-home.ts"
import type { ToolPath } from "../loaded-tool.ts"
import { expectIsolate } from "./load-options.ts"

/** Throws a TypeError for invalid paths. `name`: the argument's name in the message. */
export const toToolPaths = (
  paths: ReadonlyArray<string | ToolPath>,
  name = "paths",
): ReadonlyArray<ToolPath> => {
  const expected = `Expected \`${name}\` to be an array of strings or of objects with a string \`path\``
  if (!Array.isArray(paths)) throw new TypeError(`${expected}, ${got(paths)}`)
  return paths.map((path: string | ToolPath) => {
    if (typeof path === "string") return { path }
    if (typeof path?.path !== "string") throw new TypeError(`${expected}, ${got(path)} in it`)
    expectIsolate(path.isolate)
    return path
  })
}

/**
 * Returns the absolute path: `~`, `~/x` and `file:` URLs are expanded, relative paths are resolved from `cwd`. Throws for a
 * URL of another host, and for an empty path, which would mean all of `cwd`.
 */
export const resolveToolPath = (path: string, cwd: string, home: string): string => {
  if (path === "") throw new Error("The path is empty")
  if (path.startsWith("file:")) return fileURLToPath(path)
  return resolve(cwd, expandHome(path, resolve(home)))
}

/** Whether a file only describes a tool. */
export const isDeclarative = (path: string): boolean => /\.(?:md|json)$/i.test(path)

/** Whether a file of a tools folder is a module to load: neither hidden nor a type declaration. */
export const isToolFile = (name: string): boolean =>
  /^[^.].*\.(?:ts|js|mjs|cjs)$/.test(name) && !name.endsWith(".d.ts")

/** Whether a file of an extensions folder is a module to load. */
export const isExtensionFile = (name: string): boolean => isToolFile(name) && /\.(?:ts|js)$/.test(name)
