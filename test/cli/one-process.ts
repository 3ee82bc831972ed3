/**
 * Command lines that one process runs, one after the other: to start the command takes longer than most of them. What is tried with it
 * is what a line writes, what it changes and its status. How a process takes input, signals and its end is tried with a process of its own.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { useShared } from "../support/use-shared.ts"
import { type CommandOptions, type CommandResult, plainEnvironment } from "./built-cli.ts"

const script = `
  const [program, about] = process.argv.slice(1)
  const { runProgram } = await import(program)
  // A command listens until its process ends.
  process.stdout.setMaxListeners(0)
  process.on("message", async ({ args, cwd, env }) => {
    const result = { stdout: "", stderr: "" }
    for (const name of ["stdout", "stderr"]) process[name].write = (text, encoding, done = encoding) => {
      result[name] += text
      if (typeof done === "function") queueMicrotask(done)
      return true
    }
    process.chdir(cwd)
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
    Object.assign(process.env, env)
    const status = await runProgram(args, JSON.parse(about)).catch((error) => {
      result.stderr += error.stack
      return null
    })
    process.send({ status, ...result })
  })
  process.send("ready")
`

const start = async (path: string) => {
  const folder = dirname(dirname(path))
  const program = pathToFileURL(join(folder, "modules/cli/program.js")).href
  const about = JSON.stringify({ version: "0.0.0", description: "Runs tools." })
  const args = ["--input-type=module", "--eval", script, program, about]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit", "ipc"] })
  const exited = once(child, "exit").then(([status]) => {
    throw new Error(`The process of the command lines ended with ${status}`)
  })
  exited.catch(() => {})
  const message = async () => (await Promise.race([once(child, "message"), exited]))[0]
  await message()
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(args: ReadonlyArray<string>, cwd: string, env: NodeJS.ProcessEnv): Promise<CommandResult> {
      const result = last.then(() => {
        child.send({ args, cwd, env })
        return message()
      })
      last = result.catch(() => {})
      return result
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL")
      await exited.catch(() => {})
    },
  }
}

/** Gives what runs a line in that process, with nothing on its stdin. @param cli The built command. */
export const useOneProcess = (cli: { readonly path: string }) => {
  const shared = useShared(() => start(cli.path))
  return async (
    args: ReadonlyArray<string>,
    { cwd = process.cwd(), env = process.env }: Omit<CommandOptions, "input"> = {},
  ): Promise<CommandResult> => (await shared()).run(args, cwd, plainEnvironment(env))
}
