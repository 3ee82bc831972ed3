// @module-tag waits
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  rmdir,
  symlink,
  writeFile,
} from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { changing } from "../../src/handlers/index.ts"
import { defineTool, pipeline, Step, ToolExecutor, ToolRegistry } from "../../src/index.ts"
import { localFiles } from "../../src/io/index.ts"
import { treeOf } from "../sandbox/staging/tree.ts"

const folders = ["", "d/", "d/deep/", "odd \n é/"]
const names = ["a", "-rf", "b b"]
const pathArb = fc
  .tuple(fc.constantFrom(...folders), fc.constantFrom(...names))
  .map(([folder, name]) => folder + name)
const contentArb = fc.oneof(
  fc.constantFrom("", "one\n", "two\n"),
  fc.constant("x".repeat(300_000)),
  fc.constant("\0\u0001binary"),
)

type Op =
  | { readonly what: "write" | "by another"; readonly path: string; readonly content: string }
  | { readonly what: "remove" | "remove its folder"; readonly path: string }
  | { readonly what: "rename" | "link"; readonly path: string; readonly to: string }
  | { readonly what: "chmod"; readonly path: string; readonly mode: number }

const opArb: fc.Arbitrary<Op> = fc.oneof(
  fc.record({ what: fc.constant("write" as const), path: pathArb, content: contentArb }),
  fc.record({ what: fc.constant("by another" as const), path: pathArb, content: fc.constant("theirs\n") }),
  fc.record({ what: fc.constantFrom("remove" as const, "remove its folder" as const), path: pathArb }),
  fc.record({ what: fc.constantFrom("rename" as const, "link" as const), path: pathArb, to: pathArb }),
  fc.record({
    what: fc.constant("chmod" as const),
    path: pathArb,
    mode: fc.constantFrom(0o600, 0o755, 0o444),
  }),
)

const isThere = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** The paths that an operation may change, from the top. */
const pathsOf = (op: Op): Array<string> => {
  if (op.what === "rename") return [op.path, op.to]
  if (op.what === "link") return [op.to]
  return op.what === "remove its folder" ? [dirname(op.path)] : [op.path]
}

/** Does nothing where it cannot be done. */
const perform = async (root: string, op: Op): Promise<void> => {
  const at = join(root, op.path)
  switch (op.what) {
    case "write":
    case "by another":
      await mkdir(dirname(at), { recursive: true })
      await rm(at, { force: true })
      return writeFile(at, op.content)
    case "remove":
      return rm(at, { force: true })
    case "remove its folder":
      return dirname(op.path) === "." ? undefined : rmdir(dirname(at)).catch(() => undefined)
    case "rename":
      if (!(await isThere(at)) || op.to === op.path) return
      await mkdir(dirname(join(root, op.to)), { recursive: true })
      return rename(at, join(root, op.to))
    case "link":
      await mkdir(dirname(join(root, op.to)), { recursive: true })
      await rm(join(root, op.to), { force: true })
      return symlink("somewhere", join(root, op.to))
    case "chmod":
      if ((await isThere(at)) && !(await lstat(at)).isSymbolicLink()) await chmod(at, op.mode)
  }
}

const operate = defineTool({
  name: "operate",
  description: "Changes files.",
  parameters: { type: "object" },
  compose: (params) =>
    pipeline().andThen(async (context) => {
      const op = params as Op
      const paths = pathsOf(op).map((path) => ({ path: join(context.cwd, path) }))
      await changing(context, localFiles, paths, () => perform(context.cwd, op))
      return Step.Continue
    }),
})

const stateOf = async (path: string): Promise<string> => {
  const info = await lstat(path)
  if (info.isSymbolicLink()) return `link ${await readlink(path)}`
  return `${info.mode & 0o777} ${(await readFile(path)).toString("base64")}`
}

interface Session {
  readonly root: string
  readonly executor: ToolExecutor
  /** What others have written last, by path. */
  readonly theirs: Map<string, string>
}

const inSession = async (
  ops: ReadonlyArray<readonly [agentId: string, op: Op]>,
  check: (session: Session, before: Record<string, string>) => Promise<void>,
): Promise<void> => {
  const root = await realpath(await mkdtemp(join(tmpdir(), "stepline-undo-")))
  const executor = new ToolExecutor(new ToolRegistry([operate]), { cwd: root })
  try {
    await mkdir(join(root, "d"))
    for (const name of ["a", "d/a", "d/-rf"]) await writeFile(join(root, name), `before ${name}\n`)
    const before = await treeOf(root)
    const theirs = new Map<string, string>()
    for (const [index, [agentId, op]] of ops.entries()) {
      if (op.what === "by another") {
        // A path that another writer leaves as a call had left it is the call's.
        await perform(root, { ...op, content: `theirs ${index}\n` })
        theirs.set(op.path, await stateOf(join(root, op.path)))
      } else {
        const { status, content } = await executor.run({ name: "operate", params: { ...op }, agentId })
        expect(status, content).toBe("complete")
      }
    }
    await check({ root, executor, theirs }, before)
  } finally {
    await executor.shutdown()
    await rm(root, { recursive: true, force: true })
  }
}

const apply = async (executor: ToolExecutor, agentId: string) => {
  const agent = executor.agent(agentId)
  if (!agent.pendingActions.hasPending) return
  const { status, content } = await agent.resolve({ action: "apply", reason: "" })
  expect(status, content).toBe("complete")
}

/** Everything is as it was, but for what others have written, and the folders that hold it. */
const expectTakenBack = async ({ root, theirs }: Session, before: Record<string, string>) => {
  const after = await treeOf(root)
  const spared = new Set<string>()
  for (const [path, state] of theirs) {
    expect(await stateOf(join(root, path)), path).toBe(state)
    for (let at = path; at !== "."; at = dirname(at)) spared.add(at)
  }
  const rest = (tree: Record<string, string>) =>
    Object.fromEntries(Object.entries(tree).filter(([path]) => !spared.has(path)))
  expect(rest(after)).toEqual(rest(before))
}

const numRuns = Number(process.env.STEPLINE_UNDO_RUNS ?? 40)
const byOne = fc.array(fc.tuple(fc.constant("main"), opArb), { minLength: 1, maxLength: 14 })
const bySeveral = fc.array(fc.tuple(fc.constantFrom("main", "other"), opArb), { minLength: 1, maxLength: 14 })

/** A file of somebody else comes back in a folder that a call made. */
const comesBack: Array<[string, Op]> = [
  ["main", { what: "write", path: "d/deep/a", content: "" }],
  ["main", { what: "by another", path: "d/deep/b b", content: "" }],
  ["main", { what: "remove", path: "d/deep/b b" }],
]

describe("after random sessions with others at work", () => {
  it("undo of all gives the tree before, and undo of undo the tree after", async () => {
    await fc.assert(
      fc.asyncProperty(byOne, (ops) =>
        inSession(ops, async (session, before) => {
          const { executor, root } = session
          const end = await treeOf(root)
          await executor.agent().undo({ last: 1000 })
          const isPending = executor.agent().pendingActions.hasPending
          await apply(executor, "main")
          await expectTakenBack(session, before)
          if (!isPending) return
          await executor.agent().undo({ callId: executor.changes().at(-1)!.callId })
          await apply(executor, "main")
          expect(await treeOf(root)).toEqual(end)
        }),
      ),
      { numRuns, examples: [[comesBack]] },
    )
  })

  it("undo of each call of several agents, the latest first, gives the tree before", async () => {
    await fc.assert(
      fc.asyncProperty(bySeveral, (ops) =>
        inSession(ops, async (session, before) => {
          const { executor } = session
          for (const { agentId, callId } of executor.changes().reverse()) {
            await executor.agent(agentId).undo({ callId })
            await apply(executor, agentId)
          }
          await expectTakenBack(session, before)
        }),
      ),
      { numRuns },
    )
  })
})
