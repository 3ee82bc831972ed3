// @module-tag waits
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, watch } from "node:fs"
import {
  appendFile,
  chmod,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises"
import { join } from "node:path"
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { localMachine } from "../../../src/io/index.ts"
import { recoverStages, StagingError, stagingMachine } from "../../../src/sandbox/index.ts"
import { writeFiles } from "../../custom-tools/loading/write-files.ts"
import { useTempFolder } from "../../io/temp-folder.ts"
import { builtPackage } from "../../support/built-package.ts"
import { needs } from "../../support/needs.ts"
import { treeOf } from "./tree.ts"

const path = useTempFolder()
const ws = () => path("ws")
const state = () => path("state/stepline/staged")
const staging = () => stagingMachine(localMachine).staging!

beforeEach(async (test) => {
  needs(test, "bwrap")
  vi.stubEnv("XDG_STATE_HOME", path("state"))
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
  await writeFiles(path(), {
    "ws/a.txt": "one\n",
    "ws/b.txt": "two\n",
    "ws/sub/c.txt": "three\n",
    "outside.txt": "safe\n",
  })
})

const run = async (
  command: string,
  {
    cwd = ws(),
    folder = ws(),
    isCwdReal = false,
    signal,
  }: { cwd?: string; folder?: string; isCwdReal?: boolean; signal?: AbortSignal } = {},
) => {
  let printed = ""
  const staged = await staging().run({
    command: "bash",
    args: ["-c", command],
    cwd,
    folder,
    isCwdReal,
    ...(signal && { signal }),
    onOutput: async (_stream, bytes) => {
      printed += Buffer.from(bytes).toString()
    },
  })
  return { ...staged, printed }
}

describe("what a staged command is told and shows", () => {
  it("names what is created, changed, deleted and what has a new mode, in order", async () => {
    const { changes, code, printed } = await run(
      "echo more >> a.txt; rm b.txt; mkdir -p new/folder; ln -s a.txt link; chmod 755 sub/c.txt; cat a.txt; exit 3",
    )
    expect({ code, printed }).toEqual({ code: 3, printed: "one\nmore\n" })
    expect(changes).toEqual([
      { path: "a.txt", what: "changed", kind: "file" },
      { path: "b.txt", what: "deleted", kind: "file" },
      { path: "link", what: "created", kind: "link" },
      { path: "new", what: "created", kind: "folder" },
      { path: "new/folder", what: "created", kind: "folder" },
      { path: "sub/c.txt", what: "changed", kind: "file", modes: [0o644, 0o755] },
    ])
  })

  it("gives the contents before and after", async () => {
    const { changes, content } = await run("echo more >> a.txt; rm b.txt; echo new > n; ln -s a.txt l")
    const texts = await Promise.all(
      changes.map(async (change) => {
        const { before, after } = (await content(change, 100))!
        return [change.path, before && Buffer.from(before).toString(), after && Buffer.from(after).toString()]
      }),
    )
    expect(texts).toEqual([
      ["a.txt", "one\n", "one\nmore\n"],
      ["b.txt", "two\n", undefined],
      ["l", undefined, "a.txt\n"],
      ["n", undefined, "new\n"],
    ])
    expect(await content(changes[0]!, 5)).toBeUndefined()
  })

  it("has its folder and a temporary one to write in, and nothing else", async () => {
    const { changes, printed } = await run(
      `echo evil > ../outside.txt; echo evil > ${path("outside.txt")}; umount ${ws()}; mount -o remount,rw /; echo fine > $(mktemp) && pwd && touch here`,
    )
    expect(await readFile(path("outside.txt"), "utf8")).toBe("safe\n")
    expect(existsSync(path("ws/here"))).toBe(false)
    expect(printed).toContain(`\n${ws()}\n`)
    expect(changes.map((change) => change.path)).toEqual(["here"])
  })

  it("leaves no process behind", async () => {
    const { notes } = await run("sleep 87651 & setsid sleep 87651 & disown -a; echo started")
    expect(notes).toEqual([
      "Not staged: what the command did over the network. Processes that it left have been ended.",
    ])
    const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name))
    const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")))
    expect(lines.filter((line) => line.startsWith("sleep\0" + "87651"))).toEqual([])
  })

  it("names what cannot be staged", async () => {
    const { notes, changes } = await run("mkfifo pipe")
    expect(changes).toEqual([])
    expect(notes[0]).toBe(
      "Not staged, and not applied: pipes, sockets, devices and names that are no text (pipe).",
    )
  })

  it("runs below its folder too, in a folder of any name", async () => {
    await mkdir(path("w s,x:y=\\'\"$(z)/in ner"), { recursive: true })
    const folder = path("w s,x:y=\\'\"$(z)")
    const { id, changes } = await run("pwd > p; echo up > ../q", { cwd: join(folder, "in ner"), folder })
    expect(changes.map((change) => change.path)).toEqual(["in ner/p", "q"])
    await staging().apply(id)
    expect(await readFile(join(folder, "in ner/p"), "utf8")).toBe(`${join(folder, "in ner")}\n`)
  })

  it("does not run where a link has taken the place of a real folder", async () => {
    await rename(path("ws/sub"), path("ws/moved"))
    await symlink("moved", path("ws/sub"))
    const cwd = path("ws/sub")
    await expect(run("touch ran", { cwd, isCwdReal: true })).rejects.toThrow(
      new StagingError(
        `The command cannot be staged here, and did not run: ${cwd} was moved, or replaced by a link. Call it without \`stage\`: it is then asked about as usual.`,
      ),
    )
    expect((await run("touch ran", { cwd })).changes).toEqual([
      { path: "moved/ran", what: "created", kind: "file" },
    ])
  })

  it("does not run outside of its folder", async () => {
    await expect(run("touch ran", { cwd: path() })).rejects.toThrow(
      new StagingError(
        `The command cannot be staged here, and did not run: it would run in ${path()}, which is not inside of ${ws()}. Call it without \`stage\`: it is then asked about as usual.`,
      ),
    )
    expect(existsSync(path("ran"))).toBe(false)
  })

  it("says so where there can be no overlay, and runs nothing", async () => {
    await mkdir(path("bin"))
    for (const name of ["bash", "env"]) await symlink(`/usr/bin/${name}`, path(`bin/${name}`))
    vi.stubEnv("PATH", path("bin"))
    await expect(run("touch ran")).rejects.toThrow(
      "The command cannot be staged here, and did not run: unshare of util-linux is not installed. Call it without `stage`: it is then asked about as usual.",
    )
    await symlink("/usr/bin/unshare", path("bin/unshare"))
    await expect(run("touch ran")).rejects.toThrow(
      /^The command cannot be staged here, and did not run: .*mount.*not found\. Call it/,
    )
    expect(await readdir(ws())).toEqual(["a.txt", "b.txt", "sub"])
  })

  it("ends when it is cancelled, and leaves no stage", async () => {
    const controller = new AbortController()
    const running = staging().run({
      command: "bash",
      args: ["-c", "echo x > made; echo started; sleep 600"],
      cwd: ws(),
      folder: ws(),
      signal: controller.signal,
      onOutput: async () => controller.abort(new Error("enough")),
    })
    await expect(running).rejects.toThrow("enough")
    expect(await readdir(state())).toEqual([])
    expect(existsSync(path("ws/made"))).toBe(false)
  })
})

describe("its changes", () => {
  it("are made once, and forgotten", async () => {
    const { id } = await run("echo more >> a.txt; rm -r sub; echo new > n")
    expect(await staging().apply(id)).toBe(4)
    expect(await readFile(path("ws/a.txt"), "utf8")).toBe("one\nmore\n")
    expect((await readdir(ws())).sort()).toEqual(["a.txt", "b.txt", "n"])
    expect(await readdir(state())).toEqual([])
    await expect(staging().apply(id)).rejects.toThrow(
      new StagingError("Nothing was applied: what was staged is no longer there. Run the command again."),
    )
  })

  it("reach the names of a file that the command did not touch, beside those that it made and removed", async () => {
    await link(path("ws/a.txt"), path("ws/second"))
    await link(path("ws/a.txt"), path("ws/sub/third"))
    const { id } = await run("echo more >> a.txt; ln -f second new; rm a.txt; mkdir a.txt")
    await staging().apply(id)
    const names = ["new", "second", "sub/third"].map((name) => path(`ws/${name}`))
    for (const name of names) expect(await readFile(name, "utf8")).toBe("one\nmore\n")
    expect(new Set(await Promise.all(names.map(async (name) => (await stat(name)).ino))).size).toBe(1)
  })

  it("are refused where a name that the command did not touch would have to change, and cannot", async () => {
    await link(path("ws/a.txt"), path("ws/second"))
    const { id } = await run("echo more >> a.txt; ln a.txt new; rm a.txt")
    await expect(staging().apply(id)).rejects.toThrow("a.txt changed since the command saw it")
    expect(await readFile(path("ws/second"), "utf8")).toBe("one\n")
    await staging().discard(id)
  })

  it.runIf(process.getuid?.() === 0)("do not reach the names of a file outside of the folder", async () => {
    await writeFile(path("outside"), "one\n")
    await link(path("outside"), path("ws/hard"))
    await link(path("ws/a.txt"), path("ws/second"))
    const { id, notes } = await run("echo more | tee -a hard a.txt; chmod 600 hard")
    expect(notes[0]).toBe(
      "Names of these files outside of the folder (hard links), and those that the command did not touch, keep the former content: hard.",
    )
    await staging().apply(id)
    expect(await readFile(path("outside"), "utf8")).toBe("one\n")
    expect((await stat(path("outside"))).mode & 0o777).toBe(0o644)
    for (const name of ["hard", "a.txt", "second"])
      expect(await readFile(path(`ws/${name}`), "utf8")).toBe("one\nmore\n")
  })

  it("are gone when they are discarded", async () => {
    const before = await treeOf(ws())
    const { id } = await run("echo more >> a.txt; mkdir -m 0 closed")
    await staging().discard(id)
    await staging().discard(id)
    expect(await treeOf(ws())).toEqual(before)
    expect(await readdir(state())).toEqual([])
  })

  const command = "echo more >> a.txt; rm b.txt; rm -r sub; echo new > n; mkdir m; echo in > m/i"
  it.each<readonly [string, () => Promise<unknown>, string]>([
    [
      "a file that it changes",
      () => appendFile(path("ws/a.txt"), "mine"),
      "a.txt changed since the command saw it",
    ],
    [
      "a file that it changes is replaced by the same",
      async () => {
        await writeFile(path("ws/x"), "one\n")
        await rename(path("ws/x"), path("ws/a.txt"))
      },
      "a.txt changed since the command saw it",
    ],
    ["a file that it changes goes", () => rm(path("ws/a.txt")), "a.txt changed since the command saw it"],
    [
      "a file that it deletes",
      () => writeFile(path("ws/b.txt"), "mine"),
      "b.txt changed since the command saw it",
    ],
    [
      "the mode of a file that it deletes",
      () => chmod(path("ws/b.txt"), 0o600),
      "b.txt changed since the command saw it",
    ],
    [
      "a file in a folder that it deletes",
      () => writeFile(path("ws/sub/c.txt"), "mine"),
      "sub/c.txt changed since the command saw it",
    ],
    [
      "a new file in a folder that it deletes",
      () => writeFile(path("ws/sub/mine"), "mine"),
      "sub changed since the command saw it",
    ],
    [
      "a file where it makes one",
      () => writeFile(path("ws/n"), "mine"),
      "n changed since the command saw it",
    ],
    [
      "a link where it makes a folder",
      () => symlink(path(), path("ws/m")),
      "m changed since the command saw it",
    ],
    [
      "several",
      async () => {
        await writeFile(path("ws/n"), "mine")
        await writeFile(path("ws/a.txt"), "mine")
      },
      "a.txt, n changed since the command saw them",
    ],
  ])("are refused as a whole when there is another: %s", async (_what, change, sentence) => {
    const { id } = await run(command)
    await change()
    const before = await treeOf(path())
    delete before["."]
    await expect(staging().apply(id)).rejects.toThrow(
      new StagingError(`Nothing was applied: ${sentence}. Discard this preview and run the command again.`),
    )
    expect(await treeOf(ws())).toEqual(
      Object.fromEntries(
        Object.entries(before).flatMap(([name, what]) =>
          name === "ws" ? [[".", what]] : name.startsWith("ws/") ? [[name.slice(3), what]] : [],
        ),
      ),
    )
    await staging().discard(id)
  })

  it("are refused when a folder on the way became a link to elsewhere", async () => {
    const { id } = await run("echo new > sub/n")
    await rename(path("ws/sub"), path("moved"))
    await symlink(path("moved"), path("ws/sub"))
    await expect(staging().apply(id)).rejects.toThrow("sub/n changed since the command saw it")
    expect(existsSync(path("moved/n"))).toBe(false)
  })

  it("are refused when somebody changed a file while the command ran", async () => {
    const running = staging().run({
      command: "bash",
      args: [
        "-c",
        "echo started; until [ -e $TMPDIR/../go ]; do read -t 0.01 < <(:); done; echo more > b.txt",
      ],
      cwd: ws(),
      folder: ws(),
      onOutput: async () => {
        await writeFile(path("ws/b.txt"), "mine")
        const [stage] = await readdir(state())
        await writeFile(join(state(), stage!, "go"), "")
      },
    })
    const { id, notes } = await running
    expect(notes[0]).toBe(
      "Changed by somebody else, or through another name, while the command ran, so that this cannot be applied: b.txt.",
    )
    await expect(staging().apply(id)).rejects.toThrow("b.txt changed since the command saw it")
    expect(await readFile(path("ws/b.txt"), "utf8")).toBe("mine")
  })

  it.runIf(process.getuid?.() === 0)(
    "are refused when a file was changed through a name that then went",
    async () => {
      await link(path("ws/a.txt"), path("ws/second"))
      const { id } = await run("echo more >> second; rm second")
      await expect(staging().apply(id)).rejects.toThrow("second changed since the command saw it")
      expect((await readdir(ws())).sort()).toEqual(["a.txt", "b.txt", "second", "sub"])
      const gone = await run("rm second")
      await staging().apply(gone.id)
      expect(existsSync(path("ws/second"))).toBe(false)
    },
  )

  it("leave alone what somebody else made meanwhile", async () => {
    const { id } = await run("echo more >> a.txt; rm -rf sub; mkdir sub; echo new > sub/n")
    await writeFile(path("ws/mine"), "mine")
    await staging().apply(id)
    expect((await readdir(ws())).sort()).toEqual(["a.txt", "b.txt", "mine", "sub"])
    expect(await readdir(path("ws/sub"))).toEqual(["n"])
  })

  it("are not taken from a folder of somebody else's making", async () => {
    await mkdir(path("fake/upper"), { recursive: true })
    await writeFile(path("fake/changes.json"), JSON.stringify({ folder: ws(), changes: [{ path: "a.txt" }] }))
    await expect(staging().apply(path("fake"))).rejects.toThrow("what was staged is no longer there")
    await staging().discard(path("fake"))
    expect(existsSync(path("fake/changes.json"))).toBe(true)
  })
})

describe("a process that is killed while it applies", () => {
  const applier = async (id: string) => {
    const entry = join(await builtPackage(), "dist/sandbox/index.js")
    const script = `
      import { stagingMachine } from ${JSON.stringify(entry)}
      console.log("go")
      await stagingMachine().staging.apply(${JSON.stringify(id)})`
    return spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    })
  }

  const change =
    "for i in {1..60}; do echo new > n$i; echo changed > f$i; done; rm -r d{1..60}; for i in {1..5}; do ln n$i l$i; done; rm -r tree; mkdir tree; ln -s f1 tree/s; chmod 700 sub"

  it.each(["n1", "n30", "f50", "l2", "tree/s"])(
    "leaves a journal, from which the next start finishes it (killed at %s)",
    async (last) => {
      const names = Array.from({ length: 60 }, (_, index) => index + 1)
      const files = Object.fromEntries(
        names.flatMap((n) => [
          [`ws/f${n}`, "old\n"],
          [`ws/d${n}/x`, "x\n"],
        ]),
      )
      await writeFiles(path(), { ...files, "ws/tree/deep/er.txt": "x" })
      const { id } = await run(change)
      await promisedCopy()
      const child = await applier(id)
      const exited = once(child, "exit")
      const watcher = watch(last.startsWith("tree") ? path("ws/tree") : ws(), (_event, name) => {
        const made = last.split("/").at(-1)
        if (name === made && existsSync(path(`ws/${last}`))) child.kill("SIGKILL")
      })
      const [code, signal] = await exited
      watcher.close()
      // What was watched for may have been the last of it.
      expect(code === 0 || signal === "SIGKILL").toBe(true)
      expect(await recoverStages()).toEqual([])
      const direct = await directTree()
      expect(await treeOf(ws())).toEqual(direct)
      expect((await readdir(state())).filter((name) => !name.includes(".lock"))).toEqual([])
    },
  )

  const promisedCopy = async () => {
    const child = spawn("cp", ["-a", ws(), path("direct")])
    await once(child, "exit")
  }

  const directTree = async () => {
    const child = spawn("bash", ["-c", change], { cwd: path("direct") })
    await once(child, "exit")
    return treeOf(path("direct"))
  }

  it("leaves to its maker what was changed before it is finished", async () => {
    const { id } = await run("echo new > a.txt; echo new > b.txt")
    // As a process leaves it that dies before its first change.
    await rename(join(id, "changes.json"), join(id, "applying.json"))
    await writeFile(path("ws/a.txt"), "mine now\n")
    expect(await recoverStages()).toEqual([path("ws/a.txt")])
    expect(await readFile(path("ws/a.txt"), "utf8")).toBe("mine now\n")
    expect(await readFile(path("ws/b.txt"), "utf8")).toBe("new\n")
  })
})
