/** The examples of `@oh-my-pi/pi-coding-agent` that can be run with a file system, a shell and git. */
import { expect } from "vitest"
import { type ExampleRun, helloRun, reloadRun, todoRun } from "./example-run.ts"
import { autoCommitRun, permissionGateRun, protectedPathsRun } from "./pi-examples.ts"

export const toolRuns: Readonly<Record<string, ExampleRun>> = {
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

/** Examples that register no tools. */
export const hookRuns: Readonly<Record<string, ExampleRun>> = {
  "hooks/auto-commit-on-exit": autoCommitRun("[omp]"),
  "hooks/permission-gate": permissionGateRun,
  "hooks/protected-paths": protectedPathsRun,
}
