/** An agent's settings from its file: read, never written. */
import { join } from "node:path"
import { type JsonObject, readJsonObject } from "../loading/folder-entries.ts"

/** Makes a getter: `getShellPath` reads `shellPath`, `getCompactionSettings` the section `compaction`. */
const reader =
  (settings: JsonObject, method: string): (() => unknown) =>
  () => {
    const name = method.slice(3)
    const key = name[0]!.toLowerCase() + name.slice(1)
    const section = settings[key.replace(/Settings$/, "")]
    return key in settings ? settings[key] : key.endsWith("Settings") ? (section ?? {}) : undefined
  }

/** pi's class, limited to its only use by tools: reading a setting by name. */
const managerOf = (settings: JsonObject): object => {
  const own = {
    getGlobalSettings: () => settings,
    getProjectSettings: () => ({}),
    drainErrors: () => [],
    reload: async () => undefined,
  }
  return new Proxy(own, {
    get: (target, key) => {
      if (typeof key !== "string" || key in target) return Reflect.get(target, key)
      if (/^get[A-Z]/.test(key)) return reader(settings, key)
      if (!/^set[A-Z]/.test(key)) return undefined
      return () => {
        throw new Error(
          `SettingsManager.${key}() is not for tools of stepline: they read settings, and change none.`,
        )
      }
    },
  })
}

export const makeSettingsManager = (agentDir: () => string) => ({
  /** Reads the user's settings, not a project's, which need the user's trust. */
  create: (_cwd?: string, folder: string = agentDir()): object =>
    managerOf(readJsonObject(join(folder, "settings.json"))),
  inMemory: (settings: JsonObject = {}): object => managerOf(settings),
})
