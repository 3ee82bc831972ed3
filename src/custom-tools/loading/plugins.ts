/** Finds the tools of installed plugins: oh-my-pi's own, and those of the Claude marketplace. */
import { isAbsolute, join, relative } from "node:path"
import { isPlainObject } from "../../schema/plain-object.ts"
import type { ToolPath, ToolSource } from "../loaded-tool.ts"
import { entriesOf, type JsonObject, readJsonObject } from "./folder-entries.ts"
import { manifestModules, toolFilesOf } from "./tool-folders.ts"

const source: ToolSource = { provider: "plugin", providerName: "Plugin", level: "user" }

/**
 * The tools named by manifests in `~/.omp/plugins/node_modules`, without plugins that the user or a project has disabled.
 *
 * @param project The folder of a project whose settings count.
 */
export const pluginTools = async (project: string | undefined, home: string): Promise<Array<ToolPath>> => {
  const plugins = join(home, ".omp", "plugins")
  const packages = join(plugins, "node_modules")
  const isDisabled = disabledPlugins(plugins, project)
  const folders = (await packagesIn(packages)).filter((folder) => !isDisabled(relative(packages, folder)))
  const tools = await Promise.all(folders.map((folder) => manifestModules(folder, "tools")))
  return tools.flat().map((path) => ({ path, source }))
}

const packagesIn = async (folder: string): Promise<Array<string>> => {
  const packages = (await entriesOf(folder)).map(async ({ name, path }) =>
    name.startsWith("@") ? (await entriesOf(path)).map((scoped) => scoped.path) : [path],
  )
  return (await Promise.all(packages)).flat()
}

const disabledPlugins = (plugins: string, project: string | undefined): ((name: string) => boolean) => {
  const { plugins: states } = readJsonObject(join(plugins, "omp-plugins.lock.json"))
  const overrides = project !== undefined && join(project, ".omp", "plugin-overrides.json")
  const { disabled } = overrides ? readJsonObject(overrides) : {}
  return (name) => {
    const state = isPlainObject(states) ? states[name] : undefined
    return (
      (isPlainObject(state) && state.enabled === false) ||
      (Array.isArray(disabled) && disabled.includes(name))
    )
  }
}

/**
 * The `tools` folders of plugins that the registry of the Claude marketplace lists as installed and enabled.
 *
 * @param ofProjects Whether to include plugins that were installed for a project.
 */
export const marketplaceTools = async (home: string, ofProjects: boolean): Promise<Array<ToolPath>> => {
  const { plugins } = readJsonObject(join(home, ".claude", "plugins", "installed_plugins.json"))
  const installs = installsIn(plugins).filter(({ scope }) => ofProjects || scope !== "project")
  const found = installs.map(async ({ installPath, scope }) => {
    const level = scope === "project" ? "project" : "user"
    const source: ToolSource = { provider: "claude-plugins", providerName: "Claude Code Marketplace", level }
    return (await toolFilesOf(join(installPath, "tools"))).map((path) => ({ path, source }))
  })
  return (await Promise.all(found)).flat()
}

type Install = JsonObject & { readonly installPath: string }

const isInstall = (value: unknown): value is Install =>
  isPlainObject(value) &&
  value.enabled !== false &&
  typeof value.installPath === "string" &&
  isAbsolute(value.installPath)

/** The keys are `plugin@marketplace`; a plugin can be installed more than once. */
const installsIn = (plugins: unknown): Array<Install> =>
  Object.entries(isPlainObject(plugins) ? plugins : {})
    .filter(([id]) => id.includes("@"))
    .flatMap(([, installs]) => (Array.isArray(installs) ? installs : []))
    .filter(isInstall)
