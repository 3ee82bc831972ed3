import { describe, expect, it } from "vitest"
import { contentHash } from "../../../src/cli/trust/code-hash.ts"
import { expectTrusted } from "../../../src/cli/trust/trusted-files.ts"

const content = Buffer.from("export default 1")

/** Whether a file is loaded that was not hashed. */
const isLoaded = (folder: string, path: string): boolean => {
  const files = new Map([[`${folder}/known.ts`, contentHash(content)]])
  const code = { folder, files, modules: [], hash: "x", unfollowed: [], rules: undefined }
  try {
    expectTrusted(code, "/home/me", true)(path, content)
    return true
  } catch {
    return false
  }
}

describe("a file that nobody was asked about is loaded", () => {
  it("only from outside of the project, or from a home folder within it", () => {
    expect([
      isLoaded("/home/me/project", "/home/me/project/known.ts"),
      isLoaded("/home/me/project", "/home/me/project/late.ts"),
      isLoaded("/home/me/project", "/home/me/project-2/late.ts"),
      isLoaded("/home/me", "/home/me/late.ts"),
      isLoaded("/", "/srv/late.ts"),
      isLoaded("/", "/home/me/late.ts"),
    ]).toEqual([true, false, true, true, false, true])
  })
})
