/** Hosts of a store in processes of their own, which are killed. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { mkdir, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { afterAll, beforeAll, onTestFinished } from "vitest"
import type { HostPlan } from "./store-host.ts"

/** What a host told, as data. */
export type Told = { readonly _tag: string } & Readonly<Record<string, unknown>>

/** Inside of the project, so that its packages are found. */
const bundles = fileURLToPath(new URL("../../node_modules/.cache/stepline-test", import.meta.url))

/** A host that runs. */
export interface RunningHost {
  readonly told: ReadonlyArray<Told>
  /** Resolves with the first that it tells, or has told, that is so. */
  until(isSo: (told: Told) => boolean): Promise<Told>
  /** Resolves once that signal has ended it, where it does. */
  kill(signal: NodeJS.Signals): Promise<void>
  /** Resolves once it has ended: true where it was killed, and else once all that it told was read. Rejects where it failed. */
  ended(): Promise<boolean>
}

/** `killAt`: it is killed as soon as it tells this, and nothing is heard of it any more. */
const startHost = (
  script: string,
  folder: string,
  plan: HostPlan,
  killAt?: (told: Told) => boolean,
): RunningHost => {
  const args = [script, folder, JSON.stringify(plan)]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  const exited = once(child, "exit") as Promise<[number | null, string | null]>
  // Once it has ended: what it writes until then lies in a folder that is removed next.
  onTestFinished(async () => {
    child.kill("SIGKILL")
    await exited
  })
  const told: Array<Told> = []
  const waiting = new Set<(told: Told) => void>()
  const lines = createInterface({ input: child.stdout })
  const read = once(lines, "close")
  lines.on("line", (line) => {
    if (told.length > 0 && killAt?.(told.at(-1)!) === true) return
    const event = JSON.parse(line) as Told
    told.push(event)
    if (killAt?.(event) === true) child.kill("SIGKILL")
    for (const hear of [...waiting]) hear(event)
  })
  return {
    told,
    until: (isSo) =>
      new Promise((resolve) => {
        const found = told.find(isSo)
        if (found !== undefined) return resolve(found)
        const hear = (event: Told) => {
          if (!isSo(event)) return
          waiting.delete(hear)
          resolve(event)
        }
        waiting.add(hear)
      }),
    kill: async (signal) => {
      child.kill(signal)
      if (signal === "SIGKILL" || signal === "SIGTERM") await exited
    },
    ended: async () => {
      const [code, signal] = await exited
      // What it started may hold its output open.
      if (signal === "SIGKILL") return true
      if (code !== 0) throw new Error(`The host ended with ${code ?? signal}`)
      await read
      return false
    },
  }
}

/** Hosts as one file, which starts sooner. */
export const useHosts = () => {
  const script = join(bundles, `store-host-${process.pid}.mjs`)
  beforeAll(async () => {
    await mkdir(bundles, { recursive: true })
    await build({
      entryPoints: [fileURLToPath(new URL("store-host-process.ts", import.meta.url))],
      outfile: script,
      bundle: true,
      platform: "node",
      format: "esm",
      // All but the databases, one of which is native code.
      external: ["libsql", "pg", "run"],
      conditions: ["@stepline/source"],
    })
  })
  afterAll(() => rm(script, { force: true }))
  return {
    /** Starts a host, which ends with its test. */
    start: (folder: string, plan: HostPlan): RunningHost => startHost(script, folder, plan),
    /** Runs a host until it is done, or until this is told: then it is killed. Gives all that it told. */
    run: async (
      folder: string,
      plan: HostPlan,
      killAt?: (told: Told) => boolean,
    ): Promise<ReadonlyArray<Told>> => {
      const host = startHost(script, folder, plan, killAt)
      await host.ended()
      return host.told
    },
    /** Runs a host that may kill itself. True where it did. */
    dies: (folder: string, plan: HostPlan): Promise<boolean> => startHost(script, folder, plan).ended(),
  }
}

export const tag =
  (name: string) =>
  ({ _tag }: Told): boolean =>
    _tag === name

export const tags = (told: ReadonlyArray<Told>): Array<string> => told.map(({ _tag }) => _tag)

/** The handlers that ran, in any process: `<call> <handler> <key>`. */
export const ranIn = async (folder: string): Promise<Array<string>> => {
  const file = `${folder}/ran.txt`
  return existsSync(file) ? (await readFile(file, "utf8")).trimEnd().split("\n") : []
}
