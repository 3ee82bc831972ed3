/** The examples of `@mariozechner/pi-coding-agent` that can be run with a file system, a shell and git. */
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises"
import { delimiter, join } from "node:path"
import { expect, vi } from "vitest"
import type { DeltaEvent, ToolEvent } from "../../../src/index.ts"
import { needs } from "../../support/needs.ts"
import { writeFiles } from "../loading/write-files.ts"
import type { ExampleAgent } from "./example-agent.ts"
import {
  down,
  type ExampleRun,
  enter,
  escape,
  helloRun,
  type PackageRuns,
  reloadRun,
  todoRun,
} from "./example-run.ts"
import { autoCommitRun, fileTools, permissionGateRun, protectedPathsRun } from "./hook-examples.ts"

const leftOut = new Map([["extensions/subagent", "starts the agent's own program"]])

/** Reads, changes and writes files through tools that wrap the agent's own. `folder` is where they work. */
const runFileTools = async (agent: ExampleAgent, folder: string): Promise<void> => {
  expect(await agent.text("read", { path: "notes.txt", offset: 2, limit: 1 })).toContain("two\n")
  const edit = { path: "notes.txt", edits: [{ oldText: "two", newText: "zwei" }] }
  const edited = await agent.run("edit", edit)
  expect(edited.content).toBe("Successfully replaced 1 block(s) in notes.txt.")
  expect(edited.output.details).toMatchObject({ diff: expect.stringMatching(/-\s*2 two\n\+\s*2 zwei/) })
  const failed = await agent.run("edit", edit)
  expect(failed.isError).toBe(true)
  expect(failed.content).toContain("notes.txt")
  await agent.text("write", { path: "new/file.txt", content: "new\n" })
  expect(await readFile(join(folder, "notes.txt"), "utf8")).toBe("one\nzwei\nthree\n")
  expect(await readFile(join(folder, "new/file.txt"), "utf8")).toBe("new\n")
}

const runBash = async (agent: ExampleAgent, folder: string): Promise<void> => {
  expect(await agent.text("bash", { command: "pwd; cat notes.txt | wc -l" })).toMatch(
    new RegExp(`^${folder}\n\\s*3\n`),
  )
  const failed = await agent.run("bash", { command: "echo out; exit 3" })
  expect([failed.isError, failed.content]).toEqual([true, "out\n\n\nCommand exited with code 3"])
}

const drawn = (agent: ExampleAgent, name: string, params: unknown): string | undefined =>
  agent.executor.agent().tool(name)?.renderCall?.(params, { width: 80, expanded: false })

const tools: PackageRuns["tools"] = {
  "extensions/bash-spawn-hook": async (start, { cwd, home }) => {
    await writeFiles(home, { ".profile": "from_profile=yes\n" })
    const agent = await start()
    const command = "echo $PI_SPAWN_HOOK $from_profile; pwd"
    expect(await agent.text("bash", { command })).toBe(`1 yes\n${cwd}\n`)
  },

  "extensions/built-in-tool-renderer": async (start, { cwd }) => {
    const agent = await start()
    await runBash(agent, cwd)
    await runFileTools(agent, cwd)
    expect(drawn(agent, "read", { path: "notes.txt", offset: 2 })).toBe("read notes.txt (offset=2)")
  },

  "extensions/dynamic-tools": async (start) => {
    const agent = await start()
    expect(agent.record.notices).toEqual(["Registered dynamic tool: echo_session"])
    expect(await agent.text("echo_session", { message: "hi" })).toBe("[session] hi")
    await agent.command("add-echo-tool", "shout")
    expect(agent.names).toEqual(["echo_session", "shout"])
    expect(await agent.text("shout", { message: "hi" })).toBe("[shout] hi")
  },

  "extensions/hello": helloRun,

  "extensions/minimal-mode": async (start, { cwd, git }) => {
    const agent = await start()
    await runBash(agent, cwd)
    expect(await agent.text("grep", { pattern: "answer", path: "." })).toBe(
      "src/answer.ts:1: export const answer = 42",
    )
    expect(await agent.text("find", { pattern: "*.ts" })).toBe("src/answer.ts")
    expect((await agent.text("ls")).split("\n")).toEqual([
      ".env",
      ".git/",
      ".gitignore",
      "ignored.txt",
      "notes.txt",
      "src/",
    ])
    await runFileTools(agent, cwd)
    expect(git("diff", "--stat")).toContain("notes.txt | 2 +-")
    expect(drawn(agent, "bash", { command: "ls", timeout: 5 })).toBe("$ ls (timeout 5s)")
  },

  "extensions/question": async (start) => {
    const params = { question: "Which?", options: [{ label: "Red" }, { label: "Blue", description: "Calm" }] }
    const alone = await start()
    expect(await alone.text("question", params)).toBe(
      "Error: UI not available (running in non-interactive mode)",
    )
    const chosen = await start({ user: { keys: [down, enter] } })
    expect(await chosen.text("question", params)).toBe("User selected: 2. Blue")
    expect(chosen.record.screens[0]).toContain("> 2. Blue\n     Calm")
    const written = await start({ user: { keys: [down, down, enter, ..."Green", enter] } })
    expect(await written.text("question", params)).toBe("User wrote: Green")
    expect(written.record.screens[0]).toContain("Your answer:")
    const cancelled = await start({ user: { keys: [escape] } })
    expect(await cancelled.text("question", params)).toBe("User cancelled the selection")
  },

  "extensions/questionnaire": async (start) => {
    const options = [
      { value: "s", label: "Small" },
      { value: "l", label: "Large" },
    ]
    const questions = [
      { id: "size", label: "Size", prompt: "What size?", options },
      { id: "why", label: "Why", prompt: "Why?", options: [] },
    ]
    const alone = await start()
    expect(await alone.text("questionnaire", { questions })).toBe(
      "Error: UI not available (running in non-interactive mode)",
    )
    const user = await start({ user: { keys: [down, enter, enter, ..."Because", enter, enter] } })
    expect(await user.text("questionnaire", { questions })).toBe(
      "Size: user selected: 2. Large\nWhy: user wrote: Because",
    )
    expect(user.record.screens[0]).toContain("Ready to submit")
  },

  "extensions/reload-runtime": reloadRun,

  "extensions/shutdown-command": async (start) => {
    const agent = await start()
    expect(await agent.text("finish_and_exit")).toBe("Shutdown requested. Exiting after this response.")
    const deltas: Array<string> = []
    const keep = (event: ToolEvent) => {
      if (event._tag === "Delta") deltas.push((event as DeltaEvent).content)
    }
    const call = { name: "deploy_and_exit", params: { environment: "staging" } }
    const { content, output } = await agent.executor.run(call, keep)
    agent.executed.add(call.name)
    expect([content, output.details]).toEqual(["Done! Shutdown requested.", { environment: "staging" }])
    expect(deltas).toEqual(["Deploying to staging...", "Deployment complete, exiting..."])
    expect(agent.record.shutdowns).toBe(2)
  },

  "extensions/ssh": async (start, { cwd, home }) => {
    const local = await start()
    await runBash(local, cwd)
    await runFileTools(local, cwd)

    // A program that does here what ssh would do there.
    await writeFiles(home, {
      "bin/ssh": `#!/bin/sh\nexec bash -c "$2"\n`,
      "remote/notes.txt": "one\ntwo\nthree\n",
    })
    await chmod(join(home, "bin/ssh"), 0o755)
    vi.stubEnv("PATH", join(home, "bin") + delimiter + process.env.PATH)
    const remote = await start({ flags: { ssh: `box:${join(home, "remote")}` } })
    expect(remote.record.notices).toEqual([`SSH mode: box:${join(home, "remote")}`])
    await runBash(remote, join(home, "remote"))
    await runFileTools(remote, join(home, "remote"))
  },

  "extensions/structured-output": async (start) => {
    const params = { headline: "Done", summary: "All of it.", actionItems: ["Rest"] }
    const { content, output, terminate } = await (await start()).run("structured_output", params)
    expect([content, output.details, terminate]).toEqual(["Saved structured output: Done", params, true])
  },

  "extensions/tic-tac-toe": async (start) => {
    const agent = await start({ user: { keys: [enter, escape] } })
    const early = await agent.run("tic_tac_toe", { action: "play" })
    expect([early.isError, early.content]).toEqual([true, "It is not your turn."])
    // The user plays in the middle.
    await agent.command("tic-tac-toe")
    expect(agent.record.screens[0]).toContain("\u2573")
    const actions = ["move_right", "play"]
    const calls = actions.map((action) => ({ name: "tic_tac_toe", params: { action } }))
    const results = await Promise.all(calls.map((call) => agent.executor.run(call)))
    expect(results.map(({ content }) => content)).toEqual([
      "Moved right. Cursor: (0, 1)",
      "Placed O at (0,1). Cursor reset to (0,0). Your turn, X!",
    ])
    expect(await agent.text("tic_tac_toe_see_board")).toContain("<[0,0]>|    O    | [0,2] ")
    const again = await start({ session: agent.session })
    expect(await again.text("tic_tac_toe_see_board")).toContain("<[0,0]>|    O    | [0,2] ")
  },

  "extensions/todo": todoRun,

  "extensions/tool-override": async (start, { cwd, home }) => {
    await mkdir(join(home, ".pi/agent"), { recursive: true })
    const agent = await start()
    const { content, output } = await agent.run("read", { path: "notes.txt", offset: 3 })
    expect([content, output.details]).toEqual(["three\n", { lines: 4 }])
    expect((await agent.run("read", { path: ".env" })).output.details).toEqual({ blocked: true })
    await agent.command("read-log")
    expect(agent.record.notices[0]).toContain(`ALLOWED: ${join(cwd, "notes.txt")}\n`)
    expect(agent.record.notices[0]).toContain(`BLOCKED: ${join(cwd, ".env")} (matches blocked pattern)`)
  },

  "extensions/truncated-tool": async (start, { cwd }, test) => {
    needs(test, "rg")
    const agent = await start()
    const { content, output } = await agent.run("rg", { pattern: "answer" })
    expect(content).toContain("src/answer.ts:1:export const answer = 42\n")
    expect(output.details).toMatchObject({ matchCount: 1 })
    expect(await agent.text("rg", { pattern: "question" })).toBe("No matches found")
    await writeFile(join(cwd, "many.txt"), "many words\n".repeat(3000))
    const many = await agent.run("rg", { pattern: "many", path: "many.txt" })
    expect(many.content).toContain("[Output truncated: showing 2000 of 300")
    const { fullOutputPath } = many.output.details as { readonly fullOutputPath: string }
    expect(await readFile(fullOutputPath, "utf8")).toContain("3000:many words\n")
  },
}

/** `restored` is what is active once planning is over. */
const planModeRun =
  (restored: ReadonlyArray<string>): ExampleRun =>
  async (start) => {
    const agent = await start(fileTools)
    await agent.command("plan")
    expect(agent.names).toEqual(["read", "bash", "find", "grep", "ls"])
    expect((await agent.run("bash", { command: "touch new" })).content).toContain(
      "Plan mode: command blocked",
    )
    expect(await agent.text("bash", { command: "cat notes.txt" })).toBe("one\ntwo\nthree\n")
    expect(await agent.text("write", { path: "new", content: "" })).toContain('Unknown tool "write"')
    await agent.command("plan")
    expect(agent.names).toEqual(restored)
  }

/** Those that register no tools. */
const hooks: PackageRuns["hooks"] = {
  "extensions/auto-commit-on-exit": autoCommitRun("[pi]"),
  "extensions/permission-gate": permissionGateRun,
  "extensions/protected-paths": protectedPathsRun,

  "extensions/claude-rules": async (start, { cwd }) => {
    await writeFiles(cwd, { ".claude/rules/a.md": "", ".claude/rules/more/b.md": "" })
    expect((await start()).record.notices).toEqual(["Found 2 rule(s) in .claude/rules/"])
  },

  "extensions/event-bus": async (start) => {
    const agent = await start()
    await agent.command("emit", "hello")
    expect(agent.record.notices).toEqual([
      "Event from event-bus-example: Session started",
      "Event from /emit command: hello",
    ])
  },

  "extensions/plan-mode": planModeRun(["read", "bash", "write", "edit"]),

  "extensions/tools": async (start) => {
    const agent = await start({ ...fileTools, user: { keys: [enter, down, enter, escape] } })
    await agent.command("tools")
    expect(agent.record.screens[0]).toContain("Tool Configuration")
    expect(agent.names).toEqual(["write", "edit", "find", "grep", "ls"])
    const again = await start({ ...fileTools, session: agent.session })
    expect(again.names).toEqual(agent.names)
  },
}

export const piRuns: PackageRuns = { tools, hooks, leftOut }

/** Of version 1.5. */
export const newPiRuns: PackageRuns = {
  tools: {
    ...tools,
    "extensions/reload-runtime": async (start) => {
      const agent = await start()
      expect(await agent.text("reload_runtime")).toBe("Reload requested. Pi reloads after this response.")
      await agent.tools.emit({ type: "agent_settled" })
      expect(agent.record.userMessages).toEqual(["/reload-runtime"])
    },
  },
  hooks: {
    ...hooks,
    "extensions/plan-mode": planModeRun(["read", "bash", "write", "edit", "find", "grep", "ls"]),
  },
  leftOut,
}
