/**
 * Measures several processes on one Postgres, row by row: `npm run bench:runners -- [ROW…]`. Starts a server of its own in a
 * temporary folder, and needs the programs of Postgres (Debian: `postgresql`, and `pgbouncer` for the last row).
 */
import { type ChildProcess, execFile, fork, spawn } from "node:child_process"
import { once } from "node:events"
import { chownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { availableParallelism, loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import pg from "pg"
import { defineTool, pipeline, Step, ToolRegistry } from "stepline"
import { type DurableClient, openDurableExecutor } from "stepline/durable"
import { median } from "../measure.ts"

const now = (): number => performance.timeOrigin + performance.now()

/** What a runner tells: that a handler began or a question was asked, when, and by which process. */
interface Told {
  readonly what: "ran" | "asked"
  readonly callId: string
  readonly pid: number
  readonly at: number
}

/** The tools by these names: `gate…` asks first. */
const registryOf = (names: ReadonlyArray<string>, ran: (callId: string) => void): ToolRegistry =>
  new ToolRegistry(
    names.map((name) =>
      defineTool({
        name,
        description: name,
        parameters: { type: "object", properties: {} },
        compose: () =>
          (name.startsWith("gate") ? pipeline().awaitApproval() : pipeline()).andThen(async ({ call }) => {
            ran(call.callId)
            return Step.Output("done")
          }),
      }),
    ),
  )

/** The process of a runner: told `block`, it blocks; told `approve`, it approves what it has asked so far; told `close`, it leaves. */
const serve = async (store: string, names: ReadonlyArray<string>): Promise<void> => {
  const tell = (what: Told["what"], callId: string) =>
    process.send!({ what, callId, pid: process.pid, at: now() })
  const durable = await openDurableExecutor({
    store,
    registry: registryOf(names, (callId) => tell("ran", callId)),
    // A runner that was held to be dead says so, and begins anew.
    onStoreError: () => undefined,
  })
  const asked: Array<() => unknown> = []
  const read = async () => {
    for await (const event of durable.executor.events) {
      if (event._tag !== "AwaitingApproval") continue
      tell("asked", event.callId)
      asked.push(() => event.approve())
    }
    if (!isClosing) setTimeout(read, 10)
  }
  let isClosing = false
  process.on("message", async (message) => {
    if (message === "approve") for (const approve of asked) approve()
    if (message === "block") for (const end = now() + 2500; now() < end; );
    if (message !== "close") return
    isClosing = true
    await durable.close()
    process.exit(0)
  })
  process.on("disconnect", () => process.exit(1))
  process.send!("open")
  await read()
}

const [role, ...args] = process.argv.slice(2)
if (role === "serve") {
  await serve(args[0]!, args.slice(1))
  // It ends when it is told to.
  await new Promise(() => undefined)
}

const folder = mkdtempSync(join(tmpdir(), "stepline-runners-"))
const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
if (nobody.uid !== undefined) chownSync(folder, nobody.uid, nobody.gid)
const versions = "/usr/lib/postgresql"
const newest = readdirSync(versions).sort((one, other) => Number(other) - Number(one))[0]!
const program = (name: string) => join(versions, newest, "bin", name)
const run = (name: string, ...given: ReadonlyArray<string>) =>
  promisify(execFile)(program(name), given, { cwd: folder, ...nobody })
const [port, poolerPort] = [15_400 + (process.pid % 1000), 16_400 + (process.pid % 1000)]
const address = (database: string, at = port) => `postgres://stepline@127.0.0.1:${at}/${database}`
await run("initdb", "-D", "data", "-U", "stepline", "-A", "trust", "-E", "UTF8")
const settings = { port, max_connections: 400, shared_preload_libraries: "pg_stat_statements", fsync: "on" }
const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
const server = spawn(program("postgres"), ["-D", "data", "-h", "127.0.0.1", "-k", "", ...flags], {
  cwd: folder,
  stdio: "ignore",
  ...nobody,
})
const admin = new pg.Pool({ connectionString: address("postgres"), max: 2 })
while (!(await admin.query("CREATE EXTENSION pg_stat_statements").then(Boolean, () => false)))
  await sleep(100)

let runners: Array<ChildProcess> = []
let clients: Array<{ close(): Promise<void> }> = []
let store = ""
let inStore: pg.Pool
let heard: Array<Told> = []

const start = async (...names: ReadonlyArray<string>): Promise<ChildProcess> => {
  const child = fork(process.argv[1]!, ["serve", store, ...names])
  runners.push(child)
  const opened = once(child, "message")
  child.on("message", (told) => told !== "open" && heard.push(told as Told))
  await opened
  return child
}
const end = async (child: ChildProcess, signal?: "SIGKILL"): Promise<void> => {
  runners = runners.filter((other) => other !== child)
  const exited = once(child, "exit")
  if (signal === undefined) child.send("close")
  else child.kill(signal)
  await exited
}
const client = async (): Promise<DurableClient> => {
  const opened = await openDurableExecutor({ store, runner: false })
  clients.push(opened)
  return opened
}
const until = async (isSo: () => boolean | Promise<boolean>, most = 60_000): Promise<number> => {
  const begun = now()
  while (!(await isSo())) {
    if (now() - begun > most) return Number.POSITIVE_INFINITY
    await sleep(20)
  }
  return now() - begun
}
const callsOf = (count: number, name: string, prefix = name) =>
  Array.from({ length: count }, (_, at) => ({ callId: `${prefix}-${at}`, agentId: `${prefix}-${at}`, name }))
const owners = async (): Promise<Array<[string, number]>> => {
  const text = "SELECT agent_id, coalesce(runner, 0)::int AS runner FROM stepline_agents ORDER BY 1"
  return (await inStore.query(text)).rows.map(({ agent_id, runner }) => [agent_id, runner])
}
const counts = async (): Promise<Array<number>> => {
  const text =
    "SELECT (SELECT count(*)::int FROM stepline_agents WHERE runner = r.id) AS n FROM stepline_runners r ORDER BY n"
  return (await inStore.query(text)).rows.map(({ n }) => n)
}
const isEven = (agents: number, among: number) => async () => {
  const found = await counts()
  const share = agents / among
  return (
    found.length === among &&
    found.reduce((a, b) => a + b, 0) === agents &&
    found.every((n) => Math.abs(n - share) <= share / 5)
  )
}
/** The statements of the store's database; those that match alone. */
const statements = async (like = "%"): Promise<number> => {
  const text = `SELECT coalesce(sum(calls), 0)::int AS n FROM pg_stat_statements s JOIN pg_database d ON d.oid = dbid
    WHERE datname = $1 AND query LIKE $2`
  return (await admin.query(text, [store.split("/").at(-1), like])).rows[0].n
}
const print = (row: string, text: string) => process.stdout.write(`${row.padEnd(12)}${text}\n`)
const ms = (value: number) => `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`
const most = (values: ReadonlyArray<number>) => values.reduce((one, other) => Math.max(one, other), 0)
const ranBy = (child: ChildProcess) =>
  heard.filter(({ what, pid }) => what === "ran" && pid === child.pid).length
const asked = (count: number) =>
  until(() => new Set(heard.flatMap((told) => (told.what === "asked" ? [told.callId] : []))).size === count)

const rows: Record<string, () => Promise<void>> = {
  async balance() {
    await Promise.all(Array.from({ length: 4 }, () => start("gate")))
    await (await client()).enqueue(callsOf(1000, "gate"))
    const even = (among: number) => until(isEven(1000, among))
    print("balance", `4 runners: within a fifth after ${ms(await even(4))}: ${await counts()}`)
    const fifth = await start("gate")
    print("", `a fifth joins: ${ms(await even(5))}: ${await counts()}`)
    await end(fifth)
    print("", `it leaves: ${ms(await even(4))}: ${await counts()}`)
    await Promise.all(Array.from({ length: 6 }, () => start("gate")))
    print("", `10 runners: ${ms(await even(10))}: ${await counts()}`)
  },
  async takeover() {
    const [first, last]: [Array<number>, Array<number>] = [[], []]
    await start("gate")
    await (await client()).enqueue(callsOf(16, "gate"))
    for (let kill = 0; kill < 30; kill += 1) {
      await start("gate")
      await until(isEven(16, 2))
      await sleep(500)
      heard = []
      const at = now()
      await end(runners[0]!, "SIGKILL")
      await until(async () => (await counts()).join() === "16")
      await sleep(500)
      const times = heard.map((told) => told.at - at)
      first.push(Math.min(...times))
      last.push(most(times))
    }
    print(
      "takeover",
      `30 kills, each of some 8 agents: first ${ms(median(first))}, last ${ms(median(last))}, most ${ms(most(last))}`,
    )
  },
  async wake() {
    await Promise.all([start("work"), start("work"), start("work")])
    const enqueuer = await client()
    const [stored, begun, after]: Array<Array<number>> = [[], [], []]
    const one = async (at: number) => {
      const began = now()
      await enqueuer.enqueue([{ callId: `work-${at}`, agentId: `work-${at % 50}`, name: "work" }])
      const resolved = now()
      await until(() => heard.some(({ callId }) => callId === `work-${at}`))
      const ran = heard.find(({ callId }) => callId === `work-${at}`)!.at
      stored!.push(resolved - began)
      begun!.push(ran - began)
      after!.push(ran - resolved)
    }
    for (let at = 0; at < 300; at += 1) await one(at)
    const [sent, looked] = [
      await statements("%pg_notify($1, notice)%"),
      await statements("%UNION ALL%r.request%"),
    ]
    print(
      "wake",
      `client to handler ${ms(median(begun!))}, of which the client stores for ${ms(median(stored!))}: the handler begins ${ms(median(after!))} after`,
    )
    print(
      "",
      `a call, notices and looks with the idle ones: ${(sent / 300).toFixed(1)} and ${(looked / 300).toFixed(1)} statements`,
    )
  },
  async lost() {
    await Promise.all(Array.from({ length: 4 }, () => start("work")))
    const enqueuer = await client()
    const sent = new Map<string, number>()
    let isOver = false
    const churn = (async () => {
      for (let turn = 0; !isOver; turn += 1) {
        await end(runners[0]!, turn % 2 === 0 ? "SIGKILL" : undefined)
        await start("work")
        await sleep(1000)
      }
    })()
    for (let at = 0; at < 5000; at += 1) {
      sent.set(`w${at}`, now())
      await enqueuer.enqueue([{ callId: `w${at}`, agentId: `a${at % 200}`, name: "work" }])
    }
    isOver = true
    const open = async () =>
      (await inStore.query("SELECT count(*)::int AS n FROM stepline_calls WHERE ended_at IS NULL")).rows[0]
        .n as number
    await until(async () => (await open()) === 0)
    await churn
    const waits = new Map(heard.toReversed().map(({ callId, at }) => [callId, at - sent.get(callId)!]))
    const sorted = [...waits.values()].sort((one, other) => one - other)
    print(
      "lost",
      `of 5,000: ${await open()}; client to handler ${ms(median(sorted))}, p99 ${ms(sorted[Math.floor(sorted.length * 0.99)]!)}, most ${ms(sorted.at(-1)!)}`,
    )
  },
  async idle() {
    const opened: { close(): Promise<void> }[] = []
    const second = async () => {
      await admin.query("SELECT pg_stat_statements_reset()")
      await sleep(10_000)
      return (await statements()) / 10
    }
    for (const count of [1, 40]) {
      while (opened.length < count)
        opened.push(await openDurableExecutor({ store, registry: registryOf(["work"], () => undefined) }))
      await sleep(5000)
      const idle = await second()
      print(
        "idle",
        `${count} runners: ${idle.toFixed(1)} statements a second, ${(idle / count).toFixed(2)} each`,
      )
    }
    const enqueuer = await client()
    const idle = await second()
    const looks = () => statements("%UNION ALL%r.request%")
    await admin.query("SELECT pg_stat_statements_reset()")
    for (let at = 0; at < 40; at += 1) {
      await enqueuer.enqueue([{ callId: `i${at}`, agentId: `i${at % 4}`, name: "work" }])
      await sleep(250)
    }
    print(
      "",
      `40 calls in 10 s: ${(((await statements()) - idle * 10) / 40).toFixed(1)} statements a call, ${((await looks()) / 40).toFixed(1)} looks a call`,
    )
    for (const one of opened) await one.close()
  },
  async zombie() {
    const zombie = await start("gate")
    const enqueuer = await client()
    const calls = callsOf(200, "gate")
    await enqueuer.enqueue(calls)
    await asked(200)
    zombie.kill("SIGSTOP")
    const heir = await start("gate")
    heard = []
    // It reads this as it wakes.
    zombie.send("approve")
    await sleep(6000)
    const taken = new Set(heard.map(({ callId }) => callId)).size
    zombie.kill("SIGCONT")
    await sleep(5000)
    const handled = ranBy(zombie)
    await enqueuer.answer(calls.map(({ callId }) => ({ callId, approve: true })))
    await until(() => heard.filter(({ what }) => what === "ran").length >= 200)
    print(
      "zombie",
      `another had ${taken} of 200 calls as it woke; it approved all: ${handled} handled; each ran once: ${heard.filter(({ what }) => what === "ran").length} of 200 (${ranBy(heir)} by the other)`,
    )
  },
  async routing() {
    const plain = [await start("work"), await start("work")]
    const able = [await start("work", "own", "gate"), await start("work", "own", "gate")]
    const enqueuer = await client()
    await enqueuer.enqueue(callsOf(500, "own"))
    await until(() => heard.length === 500)
    print(
      "routing",
      `500 calls: ${able.map(ranBy)} by those that have the tool, ${plain.map(ranBy)} by the others`,
    )
    await enqueuer.enqueue(callsOf(10, "gate"))
    await asked(10)
    for (const child of able) await end(child)
    await enqueuer.enqueue(callsOf(10, "own", "late"))
    await sleep(2000)
    const ended = await Promise.all(callsOf(10, "own", "late").map(({ callId }) => enqueuer.result(callId)))
    const waiting = (await enqueuer.inbox()).length
    print(
      "",
      `nobody has it: of 10 new calls ${ended.filter(Boolean).length} end as unknown, of 10 that ran ${waiting} wait`,
    )
    heard = []
    const wait = now()
    await start("work", "own", "gate")
    await asked(10)
    print("", `one comes: those 10 are asked again ${ms(now() - wait)} after its start`)
  },
  async blocked() {
    const [busy] = [await start("gate"), await start("gate")]
    await (await client()).enqueue(callsOf(100, "gate"))
    await until(isEven(100, 2))
    await asked(100)
    await sleep(3000)
    const before = (await owners()).join()
    heard = []
    busy.send("block")
    await sleep(8000)
    print(
      "blocked",
      `2.5 s: ${before === (await owners()).join() ? "no" : "some"} agents moved, ${heard.length} questions asked again`,
    )
  },
  async pooler() {
    writeFileSync(join(folder, "users"), '"stepline" ""\n')
    for (const mode of ["transaction", "session"]) {
      const lines = [
        `[databases]\n* = host=127.0.0.1 port=${port}\n[pgbouncer]`,
        `listen_addr = 127.0.0.1\nlisten_port = ${poolerPort}\nunix_socket_dir =`,
        `auth_type = trust\nauth_file = ${join(folder, "users")}\npool_mode = ${mode}`,
      ]
      writeFileSync(join(folder, "ini"), `${lines.join("\n")}\n`)
      const pooler = spawn("pgbouncer", [join(folder, "ini")], { ...nobody, stdio: "ignore" })
      await sleep(1000)
      const begun = now()
      const opened = await openDurableExecutor({
        store: address("pooler", poolerPort),
        registry: registryOf(["work"], () => undefined),
      }).catch((error: Error) => error)
      print(
        "pooler",
        `${mode} mode after ${ms(now() - begun)}: ${opened instanceof Error ? opened.message : "opened"}`,
      )
      if (!(opened instanceof Error)) await opened.close()
      const closed = once(pooler, "exit")
      pooler.kill("SIGKILL")
      await closed
    }
  },
}

print(
  "",
  `Node ${process.version}, ${availableParallelism()} cores, load ${loadavg()[0]!.toFixed(1)}, ${(await run("postgres", "--version")).stdout.trim()}`,
)
try {
  const chosen = role === undefined ? Object.keys(rows) : [role, ...args]
  const unknown = chosen.find((row) => !Object.hasOwn(rows, row))
  if (unknown !== undefined)
    throw new Error(`There is no row "${unknown}". Rows: ${Object.keys(rows).join(", ")}`)
  for (const row of chosen) {
    await admin.query(`CREATE DATABASE ${row}`)
    store = address(row)
    inStore = new pg.Pool({ connectionString: store, max: 2 })
    heard = []
    await rows[row]!()
    for (const opened of clients) await opened.close()
    for (const child of [...runners]) await end(child, "SIGKILL")
    clients = []
    await inStore.end()
  }
} finally {
  for (const child of runners) child.kill("SIGKILL")
  await admin.end()
  server.kill("SIGINT")
  await once(server, "exit")
  rmSync(folder, { recursive: true, force: true })
}
process.exit(0)
