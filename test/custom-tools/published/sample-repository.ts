/** A git repository and a user's folder, for each test of a file. The process works in the repository, as agents do. */
import { execFileSync } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, beforeEach, vi } from "vitest"
import { useTempFolder } from "../../io/temp-folder.ts"
import { needs } from "../../support/needs.ts"
import { writeFiles } from "../loading/write-files.ts"

const files = {
  "notes.txt": "one\ntwo\nthree\n",
  "src/answer.ts": "export const answer = 42\n",
  ".gitignore": "ignored.txt\n",
  "ignored.txt": "const answer = 0\n",
}

export interface SampleRepository {
  readonly cwd: string
  readonly home: string
  /** Runs git there; gives what it prints. */
  git(...args: ReadonlyArray<string>): string
}

export const useSampleRepository = (): (() => SampleRepository) => {
  const path = useTempFolder()
  const before = process.cwd()
  const repository = (): SampleRepository => {
    const cwd = path("repository")
    const git = (...args: ReadonlyArray<string>) =>
      execFileSync("git", args, { cwd, encoding: "utf8" }).trim()
    return { cwd, home: path("home"), git }
  }
  beforeEach(async (test) => {
    needs(test, "git")
    const { cwd, home, git } = repository()
    await writeFiles(cwd, files)
    await writeFiles(home, {
      ".gitconfig": "[user]\nname = A\nemail = a@localhost\n[init]\ndefaultBranch = main\n",
    })
    vi.stubEnv("HOME", home)
    vi.stubEnv("XDG_CONFIG_HOME", join(home, ".config"))
    vi.stubEnv("XDG_STATE_HOME", join(home, ".local", "state"))
    vi.stubEnv("TMPDIR", path())
    vi.stubEnv("PI_CODING_AGENT_DIR", "")
    git("init", "--quiet")
    git("add", "--all")
    git("commit", "--quiet", "--message", "First")
    await writeFile(join(cwd, ".env"), "SECRET=1\n")
    // Examples ask the process where they are when they are loaded.
    process.chdir(cwd)
  })
  afterEach(() => {
    process.chdir(before)
    vi.unstubAllEnvs()
  })
  return repository
}
