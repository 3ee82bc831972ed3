import { writeFile } from "node:fs/promises"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { findChromium } from "../../src/io/find-chromium.ts"
import { useTempFolder } from "./temp-folder.ts"

const path = useTempFolder()

const install = async (name: string, mode = 0o755) => {
  await writeFile(path(name), "", { mode })
  return path(name)
}

describe("findChromium", () => {
  beforeEach(() => {
    vi.stubEnv("PATH", path())
    vi.stubEnv("CHROME_PATH", undefined)
  })
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  it("finds it on the PATH, Chromium before others", async () => {
    await install("google-chrome")
    expect(await findChromium()).toBe(path("google-chrome"))
    await install("chromium")
    expect(await findChromium()).toBe(path("chromium"))
  })

  it("takes what is given before CHROME_PATH, and that before the PATH", async () => {
    await install("chromium")
    vi.stubEnv("CHROME_PATH", await install("mine"))
    expect(await findChromium()).toBe(path("mine"))
    expect(await findChromium(await install("given"))).toBe(path("given"))
  })

  it("fails for a CHROME_PATH that is no program", async () => {
    vi.stubEnv("CHROME_PATH", await install("text", 0o644))
    await expect(findChromium()).rejects.toThrow(
      `There is no browser at ${path("text")}. Let CHROME_PATH name the executable file of a Chromium, or leave it unset.`,
    )
  })

  it.skipIf(process.platform === "darwin")("says how to install one where there is none", async () => {
    await expect(findChromium()).rejects.toThrow(
      "No Chromium was found to read web pages with. Install one, on Debian and Ubuntu with: apt-get install chromium. Or let CHROME_PATH name the browser's executable file.",
    )
  })
})
