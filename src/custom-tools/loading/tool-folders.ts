/** The modules of a folder of tools or of extensions, one level deep. */

import { join, resolve } from "node:path"
import { isPlainObject } from "../../schema/plain-object.ts"
import { entriesOf, type FolderEntry, isFile, kindOf, readJsonObject } from "./folder-entries.ts"
import { isExtensionFile, isToolFile } from "./tool-paths.ts"

/** The manifest's key; also used in messages. */
type Kind = "tools" | "extensions"

/** The modules in a folder, sorted by name. */
export const toolFilesOf = async (folder: string): Promise<Array<string>> =>
  (await entriesOf(folder)).filter(isToolModule).map(({ path }) => path)

/** The modules in a folder, then each subfolder's `index.ts`. */
export const toolsOf = async (folder: string): Promise<Array<string>> => {
  const entries = await entriesOf(folder)
  const indexes = entries.filter(({ kind }) => kind === "folder").map(({ path }) => join(path, "index.ts"))
  const files = entries.filter(isToolModule).map(({ path }) => path)
  return [...files, ...(await filesAmong(indexes))]
}

/** The modules of a folder, and those named by its subfolders' manifests, or else their index, sorted by name. */
export const extensionsOf = (folder: string): Promise<Array<string>> => modulesOf(folder, isExtensionFile)

/**
 * Expands a folder to the modules that its manifest names, else its index, else the tools in it; returns any other path
 * unchanged.
 */
export const expandToolPath = (path: string): Promise<Array<string>> => expand(path, "tools", toolsOf)

/** Expands a path in the same way, for extensions. */
export const expandExtensionPath = (path: string): Promise<Array<string>> =>
  // A named folder can contain tools of oh-my-pi, which have more file extensions.
  expand(path, "extensions", (folder) => modulesOf(folder, isToolFile))

/** The modules named in `package.json` under `omp` or `pi`, one or several, without missing ones. */
export const manifestModules = async (folder: string, kind: Kind): Promise<Array<string>> => {
  const { omp, pi } = readJsonObject(join(folder, "package.json"))
  const entry = [omp, pi]
    .map((manifest) => (isPlainObject(manifest) ? manifest[kind] : undefined))
    .find(Boolean)
  const named = (Array.isArray(entry) ? entry : [entry]).filter((item) => typeof item === "string")
  const found = named.map(async (name) => {
    const path = resolve(folder, name)
    if ((await kindOf(path)) !== "folder") return filesAmong([path])
    const index = await indexOf(path)
    return index.length > 0 ? index : toolFilesOf(path)
  })
  return (await Promise.all(found)).flat()
}

const isToolModule = ({ name, kind }: FolderEntry): boolean => kind === "file" && isToolFile(name)

const filesAmong = async (paths: ReadonlyArray<string>): Promise<Array<string>> => {
  const areFiles = await Promise.all(paths.map(isFile))
  return paths.filter((_, index) => areFiles[index])
}

const indexOf = async (folder: string): Promise<Array<string>> => {
  const names = ["index.ts", "index.js", "index.mjs", "index.cjs"]
  return (await filesAmong(names.map((name) => join(folder, name)))).slice(0, 1)
}

const entryModules = async (folder: string, kind: Kind): Promise<Array<string>> => {
  const named = await manifestModules(folder, kind)
  return named.length > 0 ? named : indexOf(folder)
}

const modulesOf = async (folder: string, isModule: (name: string) => boolean): Promise<Array<string>> => {
  const found = (await entriesOf(folder)).map(async ({ name, path, kind }) => {
    if (kind === "folder") return entryModules(path, "extensions")
    return isModule(name) ? [path] : []
  })
  return (await Promise.all(found)).flat()
}

const expand = async (
  path: string,
  kind: Kind,
  inFolder: (folder: string) => Promise<Array<string>>,
): Promise<Array<string>> => {
  if ((await kindOf(path)) !== "folder") return [path]
  const entries = await entryModules(path, kind)
  const modules = entries.length > 0 ? entries : await inFolder(path)
  if (modules.length === 0) throw new Error(`There are no ${kind} in ${path}`)
  return modules
}
