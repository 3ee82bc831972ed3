/** The files of a sandboxed machine: file tools have the same bounds as its commands. */
import { basename, dirname } from "node:path"
import type { Files } from "../io/files.ts"
import type { FileHistory, PutBack } from "../io/history/file-history.ts"
import { isWithin } from "../io/is-within.ts"
import { closedIn } from "./disarm.ts"
import { isInRunsLater } from "./runs-later.ts"
import type { SandboxBounds } from "./sandbox-bounds.ts"
import { detourNames } from "./survey.ts"

const refusal = (what: string, path: string, why: string): Error =>
  Object.assign(new Error(`The sandbox does not let ${path} be ${what}: ${why}.`), { code: "ERR_SANDBOX" })

/** A history whose restored paths have the same bounds as written ones. */
const boundedHistory = (
  inner: FileHistory,
  expectReadable: (path: string) => Promise<void>,
  expectWritable: (path: string) => Promise<void>,
): FileHistory => ({
  ...inner,
  look: async (paths, keep) => {
    for (const { path } of paths) await expectReadable(path)
    return inner.look(paths, keep)
  },
  stage: async (paths) => {
    const allowed: Array<PutBack> = []
    const left: Array<{ readonly path: string; readonly why: string }> = []
    for (const put of paths) {
      const { path } = put.from
      await expectWritable(path).then(
        () => allowed.push(put),
        (cause: Error) => left.push({ path, why: cause.message.replace(/\.$/, "") }),
      )
    }
    const staged = await inner.stage(allowed)
    return { ...staged, left: [...left, ...staged.left] }
  },
})

export const sandboxedFiles = (inner: Files, bounds: SandboxBounds): Files => {
  const expectReadable = async (path: string): Promise<void> => {
    const real = await inner.resolveLinks(path)
    for (const denied of bounds.denyRead) {
      if (isWithin(await inner.resolveLinks(denied), real)) throw refusal("read", path, `${denied} is secret`)
    }
  }
  const expectWritable = async (path: string): Promise<void> => {
    await expectReadable(path)
    const real = await inner.resolveLinks(path)
    const around = bounds.write.filter((folder) => isWithin(folder, real))
    if (around.length === 0) throw refusal("written", path, `only ${bounds.write.join(", ")} may be`)
    const { paths, survey } = await closedIn(bounds)
    const resolved = await Promise.all(paths.map((at) => inner.resolveLinks(at)))
    const stops = resolved.find((at) => isWithin(at, real) || isWithin(real, at))
    // A file in a new repository is as dangerous as a hook.
    const isInGit = real.split("/").includes(".git") && !survey.folders.has(dirname(real))
    const isGit = isInGit || ["HEAD", ...detourNames].includes(basename(real))
    const isSetting = around.some((folder) => isInRunsLater(folder, real))
    if (stops !== undefined || isGit || isSetting) {
      throw refusal("written", path, "what it says could run outside of the sandbox")
    }
  }
  return {
    stat: (path) => inner.stat(path),
    resolveLinks: (path) => inner.resolveLinks(path),
    list: async (path) => {
      await expectReadable(path)
      return inner.list(path)
    },
    async *chunks(path) {
      await expectReadable(path)
      yield* inner.chunks(path)
    },
    read: async (path) => {
      await expectReadable(path)
      return inner.read(path)
    },
    isWritable: async (path) =>
      (await expectWritable(path).then(
        () => true,
        () => false,
      )) && (await inner.isWritable(path)),
    replace: async (path, content, signal) => {
      await expectWritable(path)
      await inner.replace(path, content, signal)
    },
    create: async (path, content, signal) => {
      await expectWritable(path)
      await inner.create(path, content, signal)
    },
    ...(inner.history && { history: boundedHistory(inner.history, expectReadable, expectWritable) }),
  }
}
