import { homedir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { stateFolder } from "../../src/io/state-folder.ts"

it("is in the folder that is set", () => {
  expect(stateFolder({ XDG_STATE_HOME: "/var/state" })).toBe("/var/state/stepline")
})

it.each([undefined, "", "relative", "./x"])("is in the user's own where %j is set", (state) => {
  const env = state === undefined ? {} : { XDG_STATE_HOME: state }
  expect(stateFolder(env)).toBe(join(homedir(), ".local/state/stepline"))
})
