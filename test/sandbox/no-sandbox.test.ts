// @module-tag waits
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterEach, describe, expect, it, vi } from "vitest"
import { probeSandbox, SandboxError, sandboxedMachine } from "../../src/sandbox/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { builtPackage } from "../support/built-package.ts"
import { describeWith, needs } from "../support/needs.ts"
import { runOn } from "./host.ts"

const path = useTempFolder()
afterEach(() => vi.unstubAllEnvs())

/** A PATH that leads to programs of these names alone, none of which is run. */
const stubPath = async (...names: ReadonlyArray<string>) => {
  await mkdir(path("bin"))
  for (const name of names) await symlink(process.execPath, path(`bin/${name}`))
  vi.stubEnv("PATH", path("bin"))
}

describe("where there can be no sandbox, none is pretended", () => {
  it("names the programs that are missing", async () => {
    await stubPath("rg")
    await expect(sandboxedMachine({ cwd: path() })).rejects.toThrow(
      new SandboxError(
        "There is no sandbox: bwrap, socat are not on the PATH. Install bubblewrap socat, or work without a sandbox.",
      ),
    )
  })

  it("names the one that is missing", async () => {
    await stubPath("rg", "bwrap")
    await expect(probeSandbox()).rejects.toThrow(
      "There is no sandbox: socat is not on the PATH. Install socat, or work without a sandbox.",
    )
  })

  it("says what a system answers that refuses user namespaces", async () => {
    await stubPath("rg", "socat")
    await writeFile(
      path("bin/bwrap"),
      "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n",
    )
    await chmod(path("bin/bwrap"), 0o755)
    await expect(sandboxedMachine({ cwd: path() })).rejects.toThrow(
      "There is no sandbox: this system refuses the user namespaces that it stands on (bwrap: No permissions to create new namespace). Allow them (user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns, a container's seccomp profile), or work without a sandbox.",
    )
  })

  it("runs nothing where a real kernel has no user namespaces left", async (test) => {
    needs(test, "bwrap")
    const script = path("try.mjs")
    const entry = join(await builtPackage(), "dist/sandbox/index.js")
    await writeFile(
      script,
      `import { sandboxedMachine } from ${JSON.stringify(entry)}
       const machine = await sandboxedMachine({ cwd: ${JSON.stringify(path())} }).catch((error) => console.log(error.message))
       await machine?.processes.run({ command: "touch", args: ["ran"], cwd: ${JSON.stringify(path())}, onOutput: async () => {} })
       process.exit()`,
    )
    const node = `${process.execPath} ${script}`
    // The limit holds below the namespace in which it is set.
    const { stdout } = await promisify(execFile)("unshare", [
      "-Ur",
      "bash",
      "-c",
      `echo 0 > /proc/sys/user/max_user_namespaces && exec ${node}`,
    ])
    expect(stdout).toContain(
      "There is no sandbox: this system refuses the user namespaces that it stands on (bwrap: ",
    )
    expect(existsSync(path("ran"))).toBe(false)
  })

  it("has none for other systems", async () => {
    await expect(probeSandbox("win32")).rejects.toThrow(
      "There is no sandbox for win32: it needs Linux or macOS.",
    )
  })

  it.each([
    ["/", "There is no sandbox around all of /: name the folders that may be written."],
    [
      "/nowhere/at/all",
      "There is no sandbox: /nowhere/at/all, which it should let be written, is no folder.",
    ],
  ])("refuses to let %s be written", async (folder, sentence) => {
    await expect(sandboxedMachine({ write: [folder] })).rejects.toThrow(new SandboxError(sentence))
  })
})

describeWith("bwrap")("sandboxes of one process", () => {
  it("work side by side with bounds of their own, and one after the other", async () => {
    await mkdir(path("a"))
    await mkdir(path("[b] *"))
    const first = await sandboxedMachine({ cwd: path("a") })
    const second = await sandboxedMachine({ cwd: path("[b] *") })
    const command = `touch ${path("a")}/x; touch "${path("[b] *")}/x"; mkdir -p .vscode; touch .vscode/x; true`
    await Promise.all([runOn(first, path("a"), command), runOn(second, path("[b] *"), command)])
    expect(existsSync(path("a/x"))).toBe(true)
    expect(existsSync(path("[b] */x"))).toBe(true)
    for (const name of ["a/.vscode", "[b] */.vscode"]) expect(existsSync(path(name))).toBe(false)
    await first.close()
    await first.close()
    expect((await runOn(second, path("[b] *"), "echo still here")).stdout).toBe("still here\n")
    expect((await runOn(second, path("[b] *"), `touch ${path("a")}/y`)).code).toBe(1)
    await second.close()
    await using third = await sandboxedMachine({ cwd: path("a") })
    expect((await runOn(third, path("a"), "echo again")).stdout).toBe("again\n")
  })

  it.each(["SIGTERM", "SIGKILL"])("leave nothing behind when their host dies by %s", async (signal) => {
    const script = path("die.mjs")
    const entry = join(await builtPackage(), "dist/sandbox/index.js")
    await writeFile(
      script,
      `import { sandboxedMachine } from ${JSON.stringify(entry)}
       await sandboxedMachine({ cwd: ${JSON.stringify(path())} })
       process.kill(process.pid, ${JSON.stringify(signal)})
       setInterval(() => {}, 1000)`,
    )
    const env = { ...process.env, SANDBOX_TEST: path() }
    await expect(promisify(execFile)(process.execPath, [script], { env })).rejects.toMatchObject({ signal })
    const left = async () => {
      const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name))
      const environments = await Promise.all(
        ids.map((id) => readFile(`/proc/${id}/environ`, "utf8").catch(() => "")),
      )
      return environments.filter((text) => text.includes(`SANDBOX_TEST=${path()}`))
    }
    await expect.poll(left).toEqual([])
  })

  it("leave the signals to their host", async () => {
    const before = [process.listenerCount("SIGINT"), process.listenerCount("SIGTERM")]
    await using _machine = await sandboxedMachine({ cwd: path() })
    expect([process.listenerCount("SIGINT"), process.listenerCount("SIGTERM")]).toEqual(before)
  })
})
