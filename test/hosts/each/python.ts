/** `stepline serve` with the client in Python. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { checkout, plainEnvironment } from "../../cli/built-cli.ts"
import { type Host, type OpenHost, toolArgs } from "./host.ts"

const script = fileURLToPath(new URL("calls.py", import.meta.url))

/** @param cli The built command. */
export const python = (cli: { readonly path: string }): Host => ({
  name: "Python (`stepline serve`)",
  program: "python",
  by: {
    approve: "`approve`",
    "deny with a reason": "`deny`",
    edit: "`approve(params=…)`",
    stream: "`Delta`",
    cancel: "`cancel`",
    background: "`tasks/wait`",
    "preview and resolve": "`resolve`",
    "ask within code": "`approve`",
  },
  async open({ path: cwd, readyFile }): Promise<OpenHost> {
    const command = [process.execPath, cli.path, "serve", ...toolArgs]
    const child = spawn("python3", [script, readyFile, ...command], {
      cwd,
      env: { ...plainEnvironment(process.env), HOME: cwd, PYTHONPATH: join(checkout, "clients/python") },
      stdio: ["pipe", "pipe", "inherit"],
    })
    const exited = once(child, "exit")
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    return {
      async call(call, user) {
        child.stdin.write(`${JSON.stringify({ ...call, ...user })}\n`)
        const { value = "null" } = await lines.next()
        return JSON.parse(value) as string
      },
      async [Symbol.asyncDispose]() {
        child.stdin.end()
        await exited
      },
    }
  },
})
