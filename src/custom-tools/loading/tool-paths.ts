/** What a configured path means, and which files are modules of tools. */
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

/** Absolute: `~`, `~/x` and `file:` URLs are expanded, relative paths start at `cwd`. Throws for a URL of another host. */
export const resolveToolPath = (path: string, cwd: string, home: string): string => {
  if (path === "~") return resolve(home)
  if (path.startsWith("~/")) return join(resolve(home), path.slice(2))
  if (path.startsWith("file:")) return fileURLToPath(path)
  return resolve(cwd, path)
}

/** Whether a file only describes a tool. */
export const isDeclarative = (path: string): boolean => /\.(?:md|json)$/.test(path)

export const declarativeFile = "Declarative tool files (.md, .json) cannot be loaded as executable modules"

/** Whether a file of a tools folder is a module to load: neither hidden nor mere types. */
export const isToolFile = (name: string): boolean =>
  /^[^.].*\.(?:ts|js|mjs|cjs)$/.test(name) && !name.endsWith(".d.ts")

/** The same for a folder of extensions. */
export const isExtensionFile = (name: string): boolean => isToolFile(name) && /\.(?:ts|js)$/.test(name)
