// @module-tag waits
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { checkout, plainEnvironment, useCli } from "../../cli/built-cli.ts"
import { makeFifo } from "../../io/fifo.ts"
import { useTempFolder } from "../../io/temp-folder.ts"
import { describeWith } from "../../support/needs.ts"

const cli = useCli()
const path = useTempFolder()

const client = (script: string): ChildProcessWithoutNullStreams =>
  spawn(
    "python3",
    [
      "-W",
      "error",
      fileURLToPath(new URL(script, import.meta.url)),
      process.execPath,
      cli.path,
      "serve",
      "--no-discovery",
    ],
    {
      cwd: path(),
      env: { ...plainEnvironment(process.env), HOME: path(), PYTHONPATH: join(checkout, "clients/python") },
    },
  )

const seen = async (child: ChildProcessWithoutNullStreams): Promise<ReadonlyArray<unknown>> => {
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect(stderr).toBe("")
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown)
}

/** A command that holds a pipe open: it can be read to its end once all that it started has ended. */
const holding = () => {
  makeFifo(path("held"))
  return {
    line: "exec 9> held; setsid sleep 600 & echo ready; sleep 600\n",
    allEnded: readFile(path("held"), "utf8"),
  }
}

describeWith("python")("the client in Python", () => {
  it("drives tools, approvals, own tools, the background and cancel", async () => {
    expect(await seen(client("drive.py"))).toEqual([
      ["approved by a rule", "hi\n"],
      ["edited", true],
      ["a stale answer", false],
      ["ran", "edited\n"],
      ["denied", ["Denied", "not here"]],
      ["many", [true, true]],
      ["by whom", { a: ["not a", "ann"], b: ["b\n", "ann"] }],
      ["own tool", "0.25"],
      ["own tool that raises", "division by zero"],
      ["own tool, invalid", "invalid"],
      ["own tool with a gate and an image", "image"],
      ["own tool that gives no JSON", "Object of type object is not JSON serializable"],
      ["own tool that gives a number that JSON has not", "Out of range float values are not JSON compliant"],
      ["own tool that exits", "gone"],
      ["parameters that JSON has not", "Out of range float values are not JSON compliant"],
      ["taking back what was sent", false],
      ["background", ["BackgroundStarted", "1.5"]],
      ["cancelling", true],
      ["cancelled", ["Cancelled", "enough"]],
      ["refused", [-32602, "Expected `name` of a call to be a string, got `undefined` (undefined)"]],
      ["closed", 0],
    ])
  })

  it("tells of a crash whoever waits, and the crash leaves no child", async () => {
    const { line, allEnded } = holding()
    const child = client("crash.py")
    child.stdin.end(line)
    const ended = "The process has ended with status -9"
    expect(await seen(child)).toEqual([
      ["events", ended],
      ["a request that waited", ended],
      ["a request after that", ended],
      ["closed", -9],
    ])
    expect(await allEnded).toBe("")
  })

  it("ends a program that is not the server, and shows what that wrote", async () => {
    const told = "The process wrote a line that is none of `stepline serve`: hello"
    expect(await seen(client("other_program.py"))).toEqual([["closed", told]])
  })

  it("leaves no child, and no server, when it is killed itself", async () => {
    const { line, allEnded } = holding()
    const child = client("killed_client.py")
    child.stdin.end(line)
    for await (const chunk of child.stdout) if (String(chunk).includes("Delta")) break
    child.kill("SIGKILL")
    expect(await allEnded).toBe("")
    // The server has the client's stderr, which ends with the last of them.
    if (!child.stderr.readableEnded) await once(child.stderr.resume(), "end")
  })

  it("is typed, needs nothing but the standard library, and is short", async () => {
    const source = await readFile(join(checkout, "clients/python/stepline.py"), "utf8")
    expect(source.split("\n").length - 1).toBeLessThan(200)
    const untyped = spawnSync(
      "python3",
      [
        "-c",
        `import ast, sys
tree = ast.parse(sys.stdin.read())
functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
print([f.name for f in functions if f.returns is None or any(a.annotation is None for a in f.args.args if a.arg != "self")])
modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
modules |= {node.module.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
print(sorted(modules - sys.stdlib_module_names))`,
      ],
      { input: source, encoding: "utf8" },
    )
    expect(untyped.stdout).toBe("[]\n[]\n")
  })
})
