// @module-tag waits
import { execFile, spawn } from "node:child_process"
import { existsSync, lstatSync, readFileSync } from "node:fs"
import { link, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { promisify } from "node:util"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { type SandboxedMachine, sandboxedMachine } from "../../src/sandbox/index.ts"
import { writeFiles } from "../custom-tools/loading/write-files.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { needs } from "../support/needs.ts"
import { runOn } from "./host.ts"

const path = useTempFolder()
const ws = () => path("ws")
let machine: SandboxedMachine

const git = (...args: ReadonlyArray<string>) => promisify(execFile)("git", ["-C", ws(), ...args])

beforeEach(async (test) => {
  needs(test, "curl", "git", "bwrap")
  await writeFiles(path(), {
    "ws/file.txt": "inside\n",
    "outside/victim.txt": "safe\n",
    "home/.bashrc": "# mine\n",
    "home/.ssh/id_ed25519": "PRIVATE KEY\n",
  })
  vi.stubEnv("HOME", path("home"))
  machine = await sandboxedMachine({ cwd: ws() })
  return async () => {
    await machine.close()
    vi.unstubAllEnvs()
  }
})

const run = (command: string) => runOn(machine, ws(), command)
const victim = () => readFile(path("outside/victim.txt"), "utf8")

describe("what a command may do", () => {
  it("write where it works, run programs, pipe, and end with its own status", async () => {
    const { stdout, stderr, code } = await run(
      "echo more >> file.txt; mkdir -p a/b; mv file.txt a/b/; cat a/b/file.txt | wc -l; mktemp -q; exit 7",
    )
    expect(stdout).toMatch(/^2\n\/.*stepline-sandbox-/)
    expect({ stderr, code }).toEqual({ stderr: "", code: 7 })
  })

  it("use git in a repository that it made, and in one that was there", async () => {
    await run("git init -q . && git add file.txt && git -c user.name=a -c user.email=a@b commit -qm first")
    const { code, stderr } = await run(
      "echo 2 > two && git add two && git -c user.name=a -c user.email=a@b commit -qm second",
    )
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect((await git("log", "--format=%s")).stdout).toBe("second\nfirst\n")
  })

  it("leave nothing of the sandbox behind in its folder", async () => {
    await run("true")
    expect(await readdir(ws())).toEqual(["file.txt"])
  })
})

/** Tries to write `evil` into the victim's file, or to make another beside it. */
const writes: ReadonlyArray<readonly [string, () => string | Promise<string>]> = [
  ["by its path", () => `echo evil > ${path("outside/victim.txt")}`],
  ["by ..", () => "echo evil > ../outside/victim.txt"],
  ["through a link that it makes", () => "ln -s ../outside out && echo evil > out/victim.txt"],
  [
    "through a link that was there",
    async () => {
      await symlink("../outside", path("ws/out"))
      return "echo evil > out/victim.txt"
    },
  ],
  [
    "through a hard link that it makes",
    () =>
      "ln ../outside/victim.txt here; echo evil > here; cp -l ../outside/victim.txt there; echo evil > there; echo evil > ../outside/victim.txt",
  ],
  [
    "through /proc",
    () =>
      `echo evil > /proc/self/root${path("outside/victim.txt")}; echo evil > /proc/1/root${path("outside/victim.txt")}`,
  ],
  [
    "through a working directory of another process",
    () => `for d in /proc/[0-9]*/cwd; do echo evil > $d/../outside/victim.txt; done 2>&1`,
  ],
  [
    "after it moved its folder's parent",
    () =>
      `mv ${path("ws")} ${path("moved")}; mv ${path("outside")} ${path("gone")}; mv ${path()} ${path()}-gone`,
  ],
  [
    "with mounts of its own",
    () =>
      `unshare -Urm bash -c 'mount -o remount,rw,bind / ; mount -o remount,rw / ; umount -a; echo evil > ${path("outside/victim.txt")}'`,
  ],
  [
    "by changing its mode or owner",
    () =>
      `chmod 777 ../outside/victim.txt; chown 1:1 ../outside; rm -f ../outside/victim.txt; touch ../outside/new`,
  ],
]

describe("outside of its folder", () => {
  it.each(writes)("a command writes nothing %s", async (_how, attack) => {
    const { stderr, stdout } = await run(await attack())
    expect(await victim()).toBe("safe\n")
    expect(lstatSync(path("outside/victim.txt")).mode & 0o777).toBe(0o644)
    expect(await readdir(path("outside"))).toEqual(["victim.txt"])
    expect(await readdir(path())).toEqual(["home", "outside", "ws"])
    expect(stdout + stderr).toMatch(/Read-only|denied|not permitted|busy|cross-device|No such/i)
  })

  it("a command is told what was blocked", async () => {
    const { stderr } = await run("touch ../outside/new")
    expect(stderr).toContain("[sandbox] Blocked: ")
    expect(stderr).toContain(path("outside/new"))
  })
})

const hook = "#!/bin/sh\necho evil > ../outside/victim.txt\n"

describe("what would run later, outside", () => {
  const hasSafeGit = async () => {
    await git(
      "-c",
      "user.name=a",
      "-c",
      "user.email=a@b",
      "commit",
      "-q",
      "--allow-empty",
      "-m",
      "later",
    ).catch(() => {})
    await git("status").catch(() => {})
    expect(await victim()).toBe("safe\n")
  }

  it("a hook is not put into a repository, nor around it", async () => {
    await git("init", "-q")
    const plant = `printf '${hook}' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`
    await run(plant)
    await run(`mv .git old; mkdir -p .git/hooks; ${plant}`)
    await run(`mv .git/hooks .git/h; mkdir .git/hooks; ${plant}`)
    await run(`rm -rf .git/hooks; mkdir .git/hooks; ${plant}`)
    expect(existsSync(path("ws/.git/hooks/pre-commit"))).toBe(false)
    await hasSafeGit()
  })

  it("a repository is not told to run something", async () => {
    await git("init", "-q")
    await run("git config core.fsmonitor 'echo evil > ../outside/victim.txt; false'")
    await run("git config core.hooksPath hooks; mkdir hooks; echo '[core]' >> .git/config")
    await run(
      `mkdir c; cp -r .git/. c/; git --git-dir=c config core.fsmonitor 'echo evil > ../outside/victim.txt'; echo ../c > .git/commondir`,
    )
    expect(await readFile(path("ws/.git/config"), "utf8")).not.toMatch(/fsmonitor|hooksPath/)
    expect(existsSync(path("ws/.git/commondir"))).toBe(false)
    await hasSafeGit()
  })

  it("a hook is not put where a repository keeps its own, nor into one below", async () => {
    await git("init", "-q")
    await git("config", "core.hooksPath", ".husky")
    await git("init", "-q", "below")
    await mkdir(path("ws/.husky"))
    await run(
      `printf '${hook}' > .husky/pre-commit; chmod +x .husky/pre-commit; cp .husky/pre-commit below/.git/hooks/`,
    )
    expect(await readdir(path("ws/.husky"))).toEqual([])
    expect(existsSync(path("ws/below/.git/hooks/pre-commit"))).toBe(false)
    await hasSafeGit()
  })

  it("a repository that the command makes itself is disarmed", async () => {
    const { stderr } = await run(
      `git init -q . && printf '${hook}' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit && git config core.fsmonitor 'echo evil > ../outside/victim.txt; false' && git config user.name me`,
    )
    expect(stderr).toContain("[sandbox] Would run outside of the sandbox, renamed to NAME.blocked: ")
    expect(stderr).toContain(path("ws/.git/hooks/pre-commit"))
    expect(readFileSync(path("ws/.git/hooks/pre-commit.blocked"), "utf8")).toBe(hook)
    expect(readFileSync(path("ws/.git/config"), "utf8")).toMatch(/name = me/)
    expect(readFileSync(path("ws/.git/config.blocked"), "utf8")).toMatch(/fsmonitor/)
    await hasSafeGit()
  })

  it("nothing waits in `.git` for a repository that somebody makes there", async () => {
    const { stderr } = await run(
      `mkdir -p .git/hooks && printf '${hook}' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit && printf '[core]\\nfsmonitor = "echo evil > ../outside/victim.txt; false"\\n' > .git/config`,
    )
    expect(stderr).toContain("renamed to NAME.blocked")
    await git("init", "-q")
    await hasSafeGit()
  })

  it.each([
    [
      "a folder of another name",
      "git init -q --bare kit && git --git-dir=kit config core.bare false && echo 'gitdir: kit' > .git",
    ],
    [
      "a temporary folder",
      "git init -q --bare $TMPDIR/kit && git --git-dir=$TMPDIR/kit config core.bare false && echo gitdir: $TMPDIR/kit > .git",
    ],
    ["a link", "git init -q --bare $TMPDIR/kit && ln -s $TMPDIR/kit .git"],
  ])("a repository in %s is disarmed", async (_where, make) => {
    const { stderr } = await run(
      `${make}; for d in kit $TMPDIR/kit; do [ -d $d ] && printf '${hook}' > $d/hooks/pre-commit && chmod +x $d/hooks/pre-commit && git --git-dir=$d config core.worktree ${ws()} && git --git-dir=$d config core.fsmonitor 'echo evil > ${path("outside/victim.txt")}; false'; done`,
    )
    expect(stderr).toContain("renamed to NAME.blocked")
    await hasSafeGit()
  })

  it("a shell's start-up files are not written, though the home folder may be", async () => {
    await machine.close()
    machine = await sandboxedMachine({ write: [path("home")] })
    await runOn(
      machine,
      path("home"),
      "echo evil >> ~/.bashrc; echo evil > ~/.bash_profile; echo evil > ~/.ssh/authorized_keys; mv ~/.bashrc ~/old; rm -rf ~/.ssh; ln -sf /tmp/x ~/.zshrc",
    )
    expect(await readFile(path("home/.bashrc"), "utf8")).toBe("# mine\n")
    expect(await readdir(path("home/.ssh"))).toEqual(["id_ed25519"])
    expect((await readdir(path("home"))).sort()).toEqual([".bashrc", ".ssh"])
  })

  const nested = [
    ".claude/settings.json",
    ".vscode/tasks.json",
    ".mcp.json",
    ".pi/extensions/a.ts",
    ".stepline/rules.toml",
    ".husky/pre-commit",
    ".cursor/mcp.json",
    ".gemini/settings.json",
    ".devcontainer/devcontainer.json",
    ".zed/tasks.json",
    ".envrc",
    ".npmrc",
    ".yarnrc.yml",
    ".github/hooks/a.json",
    "all.code-workspace",
    "lefthook.yml",
  ]

  it("no settings that run something are made, at whatever depth, nor changed where they are", async () => {
    const folders = [".", "packages/one", "deep/er/still", "node_modules/dep"]
    const there = Object.fromEntries(
      nested.flatMap((name) => [
        [`ws/there/below/${name}`, "mine"],
        [`ws/node_modules/old/${name}`, "mine"],
      ]),
    )
    await writeFiles(path(), there)
    const made = folders.flatMap((folder) => nested.map((name) => `${folder}/${name}`))
    const plant = (file: string) => `mkdir -p $(dirname ${file}); echo evil > ${file}`
    const { stderr } = await run(
      [
        ...made.map(plant),
        ...nested.map((name) => plant(`there/below/${name}`)),
        "mv there/below there/other; rm -rf there",
        "echo evil > node_modules/old/.npmrc",
        "mkdir kit; echo evil > kit/tasks.json; mv kit packages/one/.vscode",
        "ln -s ../file.txt deep/.envrc",
      ].join("\n"),
    )
    const evil = await promisify(execFile)("grep", ["-rlx", "evil", ws()]).catch(() => ({ stdout: "" }))
    const open = evil.stdout.split("\n").filter((file) => file !== "" && !file.includes(".blocked"))
    expect(open).toEqual([])
    for (const name of nested) {
      expect([name, readFileSync(path(`ws/there/below/${name}`), "utf8")]).toEqual([name, "mine"])
      const isChanged = name === ".npmrc"
      expect([name, existsSync(path(`ws/node_modules/old/${name}`))]).toEqual([name, !isChanged])
    }
    expect(existsSync(path("ws/deep/.envrc"))).toBe(false)
    expect(stderr).toContain("[sandbox] Would run outside of the sandbox, renamed to NAME.blocked: ")
    expect(stderr).toContain("; and ")
    expect((await run("true")).stderr).toBe("")
  })

  it("a rebase that is under way runs no more than it would have", async () => {
    await git("init", "-q")
    const todo = ".git/rebase-merge/git-rebase-todo"
    await writeFiles(ws(), { [todo]: "pick 123 first\nexec npm test\n", "sub/file": "" })
    expect((await run(`echo 'pick 456' >> ${todo}`)).stderr).toBe("")
    const { stderr } = await run(
      `echo 'x touch PWN' >> ${todo}; git init -q sub; mkdir -p sub/.git/rebase-merge`,
    )
    expect(stderr).toBe(
      `[sandbox] Would run outside of the sandbox, renamed to NAME.blocked: ${path("ws/.git/rebase-merge")}\n`,
    )
    expect(existsSync(path(`ws/${todo}`))).toBe(false)
    await run(
      `echo 'pick 1' > sub/.git/rebase-merge/git-rebase-todo; echo ../../x > sub/.git/rebase-merge/strategy`,
    )
    expect(existsSync(path("ws/sub/.git/rebase-merge"))).toBe(false)
  })

  it("pipes in the place of what is read keep nobody waiting", async () => {
    await run(
      "git init -q a; rm a/.git/config; mkfifo a/.git/config a/.git/commondir .git; mkdir -p a/.git/rebase-merge; mkfifo a/.git/rebase-merge/git-rebase-todo",
    )
    expect((await run("true")).code).toBe(0)
    expect(existsSync(path("ws/a/.git/config.blocked"))).toBe(true)
  })

  it("a folder that was not searched is not called safe", async () => {
    const { stderr } = await run(
      `python3 -c '
import os
name = "d" * 200
for _ in range(25):
    os.mkdir(name); os.chdir(name)
os.mkdir(".git")
'`,
    )
    await promisify(execFile)("bash", ["-c", 'rm -rf "$0"/d*', ws()])
    expect(stderr).toMatch(
      /^\[sandbox\] Not safe: not searched for what would run outside of the sandbox: .*d{200}\n$/,
    )
    const many = await run(
      `mkdir -p many/{1..230}/{1..230}; git init -q many/1/1/late; printf '${hook}' > many/1/1/late/.git/hooks/pre-commit`,
    )
    expect(many.stderr).toBe(
      "[sandbox] Not safe: there are more than 50,000 folders, and not all of them were searched for what would run outside of the sandbox. Call no git there, and open nothing of it in an editor or with an agent, before somebody has looked.\n",
    )
  })

  it("no agent's tools are put into a project", async () => {
    const places = [
      ".pi/extensions/a.ts",
      ".omp/tools/a.ts",
      ".claude/tools/a.ts",
      ".codex/tools/a.ts",
      ".mcp.json",
      ".vscode/tasks.json",
    ]
    await run(places.map((place) => `mkdir -p $(dirname ${place}); echo evil > ${place}`).join("\n"))
    for (const place of places) expect(existsSync(path(`ws/${place}`))).toBe(false)
  })
})

describe("secrets", () => {
  it("keys in the home folder are not read", async () => {
    const { stdout } = await run(
      "cat ~/.ssh/id_ed25519; cat ~/.ssh/*; ln -s ~/.ssh keys; cat keys/*; tar c ~/.ssh | strings; cat ../home/.ssh/id_ed25519",
    )
    expect(stdout).not.toContain("PRIVATE")
  })

  it("the host's environment is not read: neither where it stands, nor as its own", async () => {
    vi.stubEnv("HOST_SECRET_TOKEN", "hunter2")
    const { stdout } = await run(
      `env | grep -c hunter2; tr '\\0' '\\n' < /proc/${process.pid}/environ; grep -ls HOME= /proc/${process.ppid}/environ; true`,
    )
    expect(stdout).toBe("0\n")
  })

  it("the host is not traced", async () => {
    // PTRACE_SEIZE, by the number that the call has here.
    const seize = { x64: 101, arm64: 117 }[process.arch as string] ?? expect.fail("unknown system calls")
    const attempt = `perl -e 'print syscall(${seize}, 0x4206, ${process.pid}, 0, 0), " $!"'`
    expect((await run(attempt)).stdout).toMatch(/^-1 (No such process|Operation not permitted)$/)
  })

  it("the environment and the memory of other processes are not read, nor are they signalled or traced", async () => {
    const other = spawn("sleep", ["300"], { env: { HOST_SECRET: "hunter2", PATH: process.env.PATH } })
    try {
      const { stdout } = await run(
        `cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -c hunter2; kill -9 ${other.pid}; head -c1 /proc/${other.pid}/mem; ls /proc/${other.pid}; command -v strace >/dev/null && strace -p ${other.pid} -o /dev/stdout; kill -9 -1; true`,
      )
      expect(stdout).toBe("0\n")
      expect(other.exitCode).toBeNull()
      expect(other.signalCode).toBeNull()
    } finally {
      other.kill("SIGKILL")
    }
  })
})

describe("the network", () => {
  const listen = async (on: string | number) => {
    let connections = 0
    const server = createServer((socket) => {
      connections++
      socket.on("error", () => {})
      socket.resume()
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
    })
    await new Promise<void>((resolve) => {
      if (typeof on === "string") server.listen(on, resolve)
      else server.listen(on, "0.0.0.0", resolve)
    })
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const close = () => new Promise((resolve) => server.close(resolve))
    return { port, close, connections: () => connections }
  }

  const connect = (port: number, host: string) => `(exec 3<>/dev/tcp/${host}/${port} && cat <&3)`

  it("the host's loopback and its own addresses are not reached, with or without the proxy", async () => {
    const server = await listen(0)
    const { port } = server
    await run(
      `${connect(port, "127.0.0.1")}; ${connect(port, "localhost")}; ${connect(port, "$(hostname -I | cut -d' ' -f1)")}
       curl -sm100 http://127.0.0.1:${port}; curl -sm100 --noproxy '*' http://127.0.0.1:${port}; curl -sm100 -x $HTTP_PROXY http://127.0.0.1:${port}; curl -sm100 -x $ALL_PROXY http://localhost:${port}
       curl -sm100 http://[::ffff:127.0.0.1]:${port}; curl -sm100 http://0x7f.1:${port}`,
    )
    await server.close()
    expect(server.connections()).toBe(0)
  })

  it("a socket of the host is not connected to, where it lies in the folder", async () => {
    const server = await listen(path("ws/daemon.sock"))
    const { stdout } = await run(
      `socat - UNIX-CONNECT:daemon.sock </dev/null; node -e 'require("net").connect("daemon.sock").on("error",e=>console.log(e.code))'; python3 -c 'import socket; socket.socket(socket.AF_UNIX)'`,
    )
    await server.close()
    expect(server.connections()).toBe(0)
    expect(stdout).not.toContain("evil")
  })

  it("nothing is resolved, and no address is reached, when the proxies are unset", async () => {
    const { stdout, code } = await run(
      `unset $(env | grep -i _proxy | cut -d= -f1); getent hosts example.com; curl -sm100 http://example.com; ${connect(53, "1.1.1.1")}; (echo > /dev/udp/1.1.1.1/53); ping -c1 -W1 1.1.1.1`,
    )
    expect(stdout).toBe("")
    expect(code).not.toBe(0)
  })

  it("the proxy lets nobody out to a domain that is not named, and says so", async () => {
    const { stdout, stderr } = await run("curl -sm100 http://example.com; curl -sSm100 https://example.com")
    expect(stdout).toBe("Connection blocked by network allowlist\n")
    expect(stderr).toContain("network-outbound example.com:80 (host is not on the allow list)")
  })

  it("each machine has its own domains", async () => {
    const server = await listen(0)
    await using other = await sandboxedMachine({ cwd: ws(), network: { allow: ["localhost"] } })
    const fetch = `curl -sm100 --noproxy '' http://localhost:${server.port}`
    expect((await run(fetch)).stdout).toBe("Connection blocked by network allowlist\n")
    expect((await runOn(other, ws(), fetch)).stdout).toBe("evil")
    await server.close()
  })
})

/** Whether a process with the text in its command line runs anywhere. */
const isRunning = async (text: string): Promise<boolean> => {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")))
  return lines.some((line) => line.includes(text) && line.startsWith("sleep"))
}

describe("its end", () => {
  // No other run of these tests sleeps for as long.
  const seconds = String(1_000_000 + process.pid)

  it("leaves no child behind, in whatever session it is", async () => {
    await run(
      `sleep ${seconds} & nohup sleep ${seconds} >/dev/null 2>&1 & setsid sleep ${seconds} >/dev/null 2>&1 & (setsid bash -c 'sleep ${seconds} & disown' &); sleep 0.2; echo started`,
    )
    await expect.poll(() => isRunning(seconds)).toBe(false)
  })

  it("comes at once when it is cancelled, children included", async () => {
    const controller = new AbortController()
    const running = machine.processes.run({
      command: "bash",
      args: ["-c", `setsid sleep ${seconds} & echo started; sleep ${seconds}`],
      cwd: ws(),
      signal: controller.signal,
      onOutput: async () => controller.abort(),
    })
    expect(await running).toMatchObject({ code: expect.toSatisfy((code) => code !== 0) })
    await expect.poll(() => isRunning(seconds)).toBe(false)
  })
})

describe("the file tools of the machine", () => {
  const bytes = Buffer.from("evil\n")

  it.each([
    ["outside/new.txt", /^The sandbox does not let .*outside\/new\.txt be written: only .*\/ws may be\.$/],
    ["ws/.git/hooks/pre-commit", /could run outside of the sandbox\.$/],
    ["ws/sub/.git/config", /could run outside of the sandbox\.$/],
    ["ws/.vscode/tasks.json", /could run outside of the sandbox\.$/],
    ["ws/sub/deep/.vscode/tasks.json", /could run outside of the sandbox\.$/],
    ["ws/sub/.ENVRC", /could run outside of the sandbox\.$/],
    ["ws/sub/all.code-workspace", /could run outside of the sandbox\.$/],
    ["ws/.git/rebase-merge/git-rebase-todo", /could run outside of the sandbox\.$/],
    ["ws/.git/commondir", /could run outside of the sandbox\.$/],
    ["ws/.git/config.worktree", /could run outside of the sandbox\.$/],
    ["ws/out/new.txt", /only .*\/ws may be\.$/],
  ])("do not make %s", async (name, sentence) => {
    await git("init", "-q")
    await symlink("../outside", path("ws/out"))
    await expect(machine.files.create(path(name), bytes)).rejects.toThrow(sentence)
    expect(existsSync(path(name))).toBe(false)
  })

  it("do not read keys, nor change what is outside", async () => {
    await expect(machine.files.read(path("home/.ssh/id_ed25519"))).rejects.toThrow(/be read: .* is secret\.$/)
    await expect(machine.files.list(path("home/.ssh"))).rejects.toThrow("is secret")
    await expect(machine.files.replace(path("outside/victim.txt"), bytes)).rejects.toThrow("may be.")
    expect(await machine.files.isWritable(path("outside/victim.txt"))).toBe(false)
    expect(await victim()).toBe("safe\n")
  })

  it("do what is allowed", async () => {
    await machine.files.create(path("ws/new/a.txt"), bytes)
    await machine.files.replace(path("ws/file.txt"), bytes)
    expect(await machine.files.isWritable(path("ws/file.txt"))).toBe(true)
    expect(Buffer.from(await machine.files.read(path("outside/victim.txt"))).toString()).toBe("safe\n")
    expect(await readFile(path("ws/file.txt"), "utf8")).toBe("evil\n")
    await link(path("ws/file.txt"), path("ws/second"))
    await writeFile(path("ws/second"), "x")
  })
})
