/** Finds modules in the usual places of their agents, in order of precedence. */
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import type { ToolPath, ToolSource } from "../loaded-tool.ts"
import { marketplaceTools, pluginTools } from "./plugins.ts"
import { extensionsOf, toolFilesOf, toolsOf } from "./tool-folders.ts"

/** A usual place: whose folder it is in, the path from there, its provider, and how its modules are found. */
type Place = readonly [
  level: ToolSource["level"],
  folder: string,
  provider: string,
  providerName: string,
  modulesOf: (folder: string) => Promise<Array<string>>,
]

const toolPlaces: ReadonlyArray<Place> = [
  ["project", ".omp/tools", "native", "OMP", toolsOf],
  ["user", ".omp/agent/tools", "native", "OMP", toolsOf],
  ["user", ".claude/tools", "claude", "Claude Code", toolFilesOf],
  ["project", ".claude/tools", "claude", "Claude Code", toolFilesOf],
  ["user", ".codex/tools", "codex", "OpenAI Codex", toolFilesOf],
  ["project", ".codex/tools", "codex", "OpenAI Codex", toolFilesOf],
]

const extensionPlaces: ReadonlyArray<Place> = [
  ["project", ".pi/extensions", "pi", "Pi", extensionsOf],
  ["user", ".pi/agent/extensions", "pi", "Pi", extensionsOf],
]

/** Which of the usual places to search: the user's own, or also the project's. */
export type Places = "home" | "all"

const search = async (
  places: ReadonlyArray<Place>,
  cwd: string,
  home: string,
  which: Places,
): Promise<Array<ToolPath>> => {
  const found = places.map(async ([level, folder, provider, providerName, modulesOf]) => {
    if (level === "project" && which !== "all") return []
    const modules = await modulesOf(join(level === "project" ? resolve(cwd) : home, folder))
    return modules.map((path) => ({ path, source: { provider, providerName, level } }))
  })
  return (await Promise.all(found)).flat()
}

/**
 * Tools of oh-my-pi: its own folders, Claude's and Codex's, then plugins. What cannot be read is skipped. With `"home"`,
 * nothing of a project counts, neither its tools nor its settings for the user's plugins.
 */
export const discoverCustomTools = async (
  cwd: string,
  home = homedir(),
  which: Places = "all",
): Promise<Array<ToolPath>> => {
  const parts = [
    search(toolPlaces, cwd, home, which),
    pluginTools(which === "all" ? resolve(cwd) : undefined, home),
    marketplaceTools(home, which === "all"),
  ]
  return (await Promise.all(parts)).flat()
}

/** Extensions of pi: the project's, then the user's. */
export const discoverExtensions = (
  cwd: string,
  home = homedir(),
  which: Places = "all",
): Promise<Array<ToolPath>> => search(extensionPlaces, cwd, home, which)
