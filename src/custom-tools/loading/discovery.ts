/** Finds modules in the usual places of their agents, in order of precedence. */
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import type { ToolPath, ToolSource } from "../loaded-tool.ts"
import { marketplaceTools, pluginTools } from "./plugins.ts"
import { extensionsOf, toolFilesOf, toolsOf } from "./tool-folders.ts"

interface UsualPlace {
  readonly folder: string
  readonly source: ToolSource
  readonly modulesOf: (folder: string) => Promise<Array<string>>
}

const toolPlaces = (cwd: string, home: string): Array<UsualPlace> => {
  const native = { provider: "native", providerName: "OMP" }
  const claude = { provider: "claude", providerName: "Claude Code" }
  const codex = { provider: "codex", providerName: "OpenAI Codex" }
  return [
    place(join(cwd, ".omp", "tools"), { ...native, level: "project" }, toolsOf),
    place(join(home, ".omp", "agent", "tools"), { ...native, level: "user" }, toolsOf),
    place(join(home, ".claude", "tools"), { ...claude, level: "user" }, toolFilesOf),
    place(join(cwd, ".claude", "tools"), { ...claude, level: "project" }, toolFilesOf),
    place(join(home, ".codex", "tools"), { ...codex, level: "user" }, toolFilesOf),
    place(join(cwd, ".codex", "tools"), { ...codex, level: "project" }, toolFilesOf),
  ]
}

const place = (folder: string, source: ToolSource, modulesOf: UsualPlace["modulesOf"]): UsualPlace => ({
  folder,
  source,
  modulesOf,
})

const search = async (places: ReadonlyArray<UsualPlace>): Promise<Array<ToolPath>> => {
  const found = places.map(async ({ folder, source, modulesOf }) =>
    (await modulesOf(folder)).map((path) => ({ path, source })),
  )
  return (await Promise.all(found)).flat()
}

/** Which of the usual places to search: the user's own, or also the project's. */
export type Places = "home" | "all"

const among = (places: ReadonlyArray<UsualPlace>, which: Places): ReadonlyArray<UsualPlace> =>
  which === "all" ? places : places.filter(({ source }) => source.level !== "project")

/**
 * Tools of oh-my-pi: its own folders, Claude's and Codex's, then plugins. What cannot be read is skipped. With `"home"`,
 * nothing of a project counts, neither its tools nor its settings for the user's plugins.
 */
export const discoverCustomTools = async (
  cwd: string,
  home = homedir(),
  which: Places = "all",
): Promise<Array<ToolPath>> => {
  const project = resolve(cwd)
  const parts = [
    search(among(toolPlaces(project, home), which)),
    pluginTools(which === "all" ? project : undefined, home),
    marketplaceTools(home, which === "all"),
  ]
  return (await Promise.all(parts)).flat()
}

/** Extensions of pi: the project's, then the user's. */
export const discoverExtensions = (
  cwd: string,
  home = homedir(),
  which: Places = "all",
): Promise<Array<ToolPath>> => {
  const pi = { provider: "pi", providerName: "Pi" }
  const places = [
    place(join(resolve(cwd), ".pi", "extensions"), { ...pi, level: "project" }, extensionsOf),
    place(join(home, ".pi", "agent", "extensions"), { ...pi, level: "user" }, extensionsOf),
  ]
  return search(among(places, which))
}
