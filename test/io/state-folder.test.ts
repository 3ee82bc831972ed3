import { homedir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { cacheFolder, stateFolder } from "../../src/io/state-folder.ts"

it("is in the folder that is set", () => {
  expect(stateFolder({ XDG_STATE_HOME: "/var/state" })).toBe("/var/state/stepline")
  expect(cacheFolder({ XDG_CACHE_HOME: "/var/cache" })).toBe("/var/cache/stepline")
})

it.each([undefined, "", "relative", "./x"])("is in the user's own where %j is set", (state) => {
  const env = state === undefined ? {} : { XDG_STATE_HOME: state, XDG_CACHE_HOME: state }
  expect(cacheFolder(env)).toBe(join(homedir(), ".cache/stepline"))
  expect(stateFolder(env)).toBe(join(homedir(), ".local/state/stepline"))
})
