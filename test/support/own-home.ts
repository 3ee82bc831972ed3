/**
 * The tests of a file have a home folder of their own, an empty one, and nothing of the session in which they were started: what its
 * user has saved, such as rules or trust, must decide nothing here, and what a test saves nothing elsewhere. The next file in the same
 * process finds its environment and its clock as they were.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, vi } from "vitest"

const ofTheUser = /^(?:XDG_|GIT_(?!SSL)|PI_|N?VIM|TMUX|EDITOR$|VISUAL$|BRAVE_API_KEY$|STEPLINE_RUN$)/

for (const name of Object.keys(process.env)) if (ofTheUser.test(name)) delete process.env[name]

const home = mkdtempSync(join(tmpdir(), "stepline-home-"))
process.env.HOME = home

const before: NodeJS.ProcessEnv = { ...process.env }

afterAll(() => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
  rmSync(home, { recursive: true, force: true })
  const isOther = (name: string) => process.env[name] !== before[name]
  expect(Object.keys({ ...before, ...process.env }).filter(isOther), "environment left behind").toEqual([])
})
