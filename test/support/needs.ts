/**
 * What some tests drive besides Node. Where it is not installed they are left out, and the end of the run says so in one line; a
 * run that has installed all of it (TEST_NEEDS=all, as in CI) leaves out nothing.
 */
import { accessSync, constants, existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { describe, it, type TestContext } from "vitest"
import { findChromium } from "../../src/io/find-chromium.ts"
import { postgresPrograms } from "../servers/postgres-folders.ts"

const isThere = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const onPath = (name: string): boolean =>
  (process.env.PATH ?? "").split(delimiter).some((folder) => isThere(join(folder, name)))

const hasChromium = await findChromium().then(
  () => true,
  () => false,
)

/**
 * Whether it is there, what people call it, and Debian's package of it, or npm's: what is as large as that is no dependency, and left
 * out of every run that did not install it.
 */
const programs = {
  acl: { isThere: onPath("setfacl") && onPath("getfacl"), name: "access control lists", debian: "acl" },
  bwrap: {
    isThere: ["bwrap", "socat", "rg"].every(onPath),
    name: "a sandbox",
    debian: "bubblewrap socat ripgrep",
  },
  chromium: { isThere: hasChromium, name: "a browser", debian: "chromium" },
  curl: { isThere: onPath("curl"), name: "curl", debian: "curl" },
  mastra: {
    isThere: existsSync(new URL("../../node_modules/@mastra/core/package.json", import.meta.url)),
    name: "Mastra",
    npm: "@mastra/core@1.71.0",
  },
  git: { isThere: onPath("git"), name: "git", debian: "git" },
  nvim: { isThere: onPath("nvim"), name: "Neovim", debian: "neovim" },
  openssl: { isThere: onPath("openssl"), name: "openssl", debian: "openssl" },
  pgbouncer: { isThere: onPath("pgbouncer"), name: "a pooler of Postgres", debian: "pgbouncer" },
  postgres: { isThere: postgresPrograms !== undefined, name: "Postgres", debian: "postgresql" },
  python: { isThere: onPath("python3"), name: "Python", debian: "python3" },
  rg: { isThere: onPath("rg"), name: "ripgrep", debian: "ripgrep" },
  tmux: { isThere: onPath("tmux"), name: "tmux", debian: "tmux" },
} as const

export type Program = keyof typeof programs

/** Whether what is missing is left out. */
export const leavesOut = process.env.TEST_NEEDS !== "all"

export const isLeftOut = (program: Program): boolean =>
  (leavesOut || "npm" in programs[program]) && !programs[program].isThere

/** Leaves out a test, or, before each of them, all of a file. */
export const needs = ({ skip }: Pick<TestContext, "skip">, ...needed: ReadonlyArray<Program>): void => {
  const missing = needed.find(isLeftOut)
  if (missing === undefined) return
  const { name, ...from } = programs[missing]
  const install = "npm" in from ? `npm install --no-save ${from.npm}` : `apt-get install ${from.debian}`
  skip(`not tried: what needs ${name} (${install})`)
}

/** Leaves out a group of tests, with what goes before all of them. */
export const describeWith =
  (...needed: ReadonlyArray<Program>) =>
  (name: string, tests: () => void): void => {
    describe(name, needed.some(isLeftOut) ? () => it("is left out", (test) => needs(test, ...needed)) : tests)
  }
