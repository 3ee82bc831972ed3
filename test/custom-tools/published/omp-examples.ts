/** The examples of `@oh-my-pi/pi-coding-agent` that can be run with a file system, a shell and git. */
import { expect } from "vitest"
import { helloRun, type PackageRuns, reloadRun, todoRun } from "./example-run.ts"
import { autoCommitRun, permissionGateRun, protectedPathsRun } from "./hook-examples.ts"

const tools: PackageRuns["tools"] = {
  "custom-tools/hello": helloRun,
  "custom-tools/todo": todoRun,

  "extensions/api-demo": async (start, { cwd }) => {
    const { content, output } = await (await start()).run("api_demo", { message: "hi", logLevel: "warn" })
    expect(content.split("\n")).toEqual(
      expect.arrayContaining(["Message: hi", "Log Level: warn", "- Model: none", `- CWD: ${cwd}`]),
    )
    expect(output.details).toEqual({ message: "hi", logLevel: "warn" })
  },

  "extensions/hello": helloRun,
  "extensions/reload-runtime": reloadRun,
  "extensions/todo": todoRun,
}

const hooks: PackageRuns["hooks"] = {
  "hooks/auto-commit-on-exit": autoCommitRun("[omp]"),
  "hooks/permission-gate": permissionGateRun,
  "hooks/protected-paths": protectedPathsRun,
}

export const ompRuns: PackageRuns = { tools, hooks, leftOut: new Map() }

const { "custom-tools/todo": _tool, "extensions/todo": _extension, ...newTools } = tools

/** Of version 18, whose parameters are zod's. */
export const newOmpRuns: PackageRuns = { tools: newTools, hooks, leftOut: new Map() }
