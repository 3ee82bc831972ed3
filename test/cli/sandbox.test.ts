// @module-tag waits
import { existsSync } from "node:fs"
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises"
import { beforeEach, describe, expect, it } from "vitest"
import { PseudoTerminal } from "../hosts/terminal/pseudo-terminal.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { needs } from "../support/needs.ts"
import { runNode, useCli } from "./built-cli.ts"

const cli = useCli()
const path = useTempFolder()
const env = (more = {}) => ({ HOME: path("home"), PATH: process.env.PATH, TMPDIR: "/tmp", ...more })

beforeEach(async () => {
  await mkdir(path("home"))
  await mkdir(path("ws"))
})

const shell = (command: string, more = {}) => JSON.stringify({ name: "shell", params: { command, ...more } })

const run = (args: ReadonlyArray<string>, input: string, more = {}) =>
  runNode([cli.path, "run", "-", ...args], { cwd: path("ws"), input, env: env(more) })

describe("run --sandbox", () => {
  it("holds commands and file tools to the folder, and runs what is inside unasked where a rule says so", async (test) => {
    needs(test, "bwrap")
    await writeFile(
      path("rules.toml"),
      '[tools.shell]\nsandboxed = "approve"\n[tools.write_file]\nallow = ["written$"]\n',
    )
    const calls = [
      shell("echo in > inside; echo out > ../outside; true"),
      JSON.stringify({ name: "write_file", params: { path: "../written", content: "x" }, expect: "error" }),
    ]
    const { stdout, status, stderr } = await run(
      ["--sandbox", "--config", path("rules.toml")],
      calls.join("\n"),
    )
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
    expect(await readFile(path("ws/inside"), "utf8")).toBe("in\n")
    expect(existsSync(path("outside"))).toBe(false)
    expect(existsSync(path("written"))).toBe(false)
    expect(stdout).toContain("Read-only file system")
    expect(stdout).toContain("[sandbox] Blocked: ")
    expect(stdout).toContain(
      `The sandbox does not let ${path("written")} be written: only ${path("ws")} may be.`,
    )
  })

  it("lets nothing out of it by a rule or --yes", async (test) => {
    needs(test, "bwrap")
    const { stdout, status } = await run(
      ["--sandbox", "--yes", "--allow", "shell=."],
      shell("touch ../outside", { unsandboxed: true }),
    )
    expect(status).toBe(3)
    expect(stdout).toContain(
      "this call would leave the sandbox, and there is no terminal to ask a person on.",
    )
    expect(existsSync(path("outside"))).toBe(false)
  })

  it("runs nothing where there can be no sandbox", async () => {
    await mkdir(path("bin"))
    await symlink("/usr/bin/bash", path("bin/bash"))
    const { status, stderr } = await run(["--sandbox", "--yes"], shell("touch ran"), { PATH: path("bin") })
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr:
        "stepline: There is no sandbox: bwrap, socat, rg are not on the PATH. Install bubblewrap socat ripgrep, or work without a sandbox.\n",
    })
    expect(existsSync(path("ws/ran"))).toBe(false)
  })

  it("has domains for a sandbox alone", async () => {
    const { status, stderr } = await run(["--allow-domain", "example.com"], shell("true"))
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: "stepline: --allow-domain is for commands in a sandbox: add --sandbox\n",
    })
  })

  it("takes no other word for a place", async () => {
    await writeFile(path("rules.json"), '{"tools":{"shell":{"sandboxed":"deny"}}}')
    const { status, stderr } = await run(["--config", path("rules.json")], shell("true"))
    expect(status).toBe(2)
    expect(stderr).toBe(
      `stepline: ${path("rules.json")}: expected \`sandboxed\` of tool \`shell\` to be "approve"\n`,
    )
  })
})

it("a session stages a command, shows what it would change, and applies it", async (test) => {
  needs(test, "bwrap")
  await using session = new PseudoTerminal([cli.path, "--allow", "shell=^echo"], {
    cwd: path("ws"),
    env: env(),
    columns: 160,
  })
  await session.see("/help shows how to call the tools")
  session.enter('shell {"command": "echo staged > made", "stage": true}')
  await session.see("[y]es")
  session.type("y")
  await session.see("created  made", "everything")
  expect(existsSync(path("ws/made"))).toBe(false)
  session.enter("/apply")
  await session.see("1 change made in", "everything")
  expect(await readFile(path("ws/made"), "utf8")).toBe("staged\n")
  session.control("D")
  expect(await session.exited).toBe(0)
})
