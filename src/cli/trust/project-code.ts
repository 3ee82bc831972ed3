/**
 * What a project folder would load into this process: tools and extensions of other agents, and rules that let calls run
 * without asking.
 */
import { realpath } from "node:fs/promises"
import { join } from "node:path"
import { discoverCustomTools, discoverExtensions } from "../../custom-tools/loading/discovery.ts"
import { type HashedCode, hashCode } from "./code-hash.ts"
import { type ProjectRules, projectRules } from "./project-rules.ts"

export interface ProjectCode extends HashedCode {
  /** The project, with every link resolved. */
  readonly folder: string
  /** The modules that would be loaded, by the paths found. */
  readonly modules: ReadonlyArray<string>
  /** Not for the home folder itself: its rules are the user's own. */
  readonly rules: ProjectRules | undefined
}

const codeFolders = [
  ".omp/tools",
  ".omp/plugin-overrides.json",
  ".pi/extensions",
  ".claude/tools",
  ".codex/tools",
]

const realPathOf = (path: string): Promise<string> => realpath(path).catch(() => path)

const realPathsOf = (paths: ReadonlyArray<string>): Promise<Array<string>> =>
  Promise.all(paths.map(realPathOf))

/** Finds the modules of the user's own folders, and those that only the project has. Runs none of them. */
export const findModules = async (
  cwd: string,
  home: string,
): Promise<{ readonly user: ReadonlyArray<string>; readonly project: ReadonlyArray<string> }> => {
  const find = async (which: "home" | "all") =>
    (await Promise.all([discoverCustomTools(cwd, home, which), discoverExtensions(cwd, home, which)])).flat()
  // A project's settings for the user's plugins count only once it is trusted.
  const user = (await find("home")).map((at) => at.path)
  const all = (await find("all")).filter(({ source }) => source?.level === "project").map((at) => at.path)
  // In the home folder itself, some of the user's own modules are found as the project's too.
  const known = new Set(await realPathsOf(user))
  const real = await realPathsOf(all)
  return { user, project: all.filter((_, index) => !known.has(real[index]!)) }
}

const noCode: HashedCode = { hash: "none", files: new Map(), unfollowed: [] }

/** Resolves with undefined if there is neither code nor a rule. */
export const projectCode = async (
  cwd: string,
  home: string,
  modules: ReadonlyArray<string>,
): Promise<ProjectCode | undefined> => {
  const folder = await realPathOf(cwd)
  const isHome = folder === (await realPathOf(home))
  const rules = isHome ? undefined : await projectRules(folder)
  if (modules.length === 0 && rules === undefined) return undefined
  const roots = [...codeFolders.map((name) => join(folder, name)), ...(await realPathsOf(modules))]
  const hashed = modules.length === 0 ? noCode : await hashCode(roots, folder)
  return { folder, modules, ...hashed, rules }
}
