// @module-tag waits
/**
 * One tool file in all hosts, each with its real counterpart: what stands in the table of `docs/hosts.md` is what ran here. A
 * "cannot" is run as well, and does not come to what it would.
 */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { checkout, useCli } from "../../cli/built-cli.ts"
import { describeWith, needs } from "../../support/needs.ts"
import { useShared } from "../../support/use-shared.ts"
import { acp } from "./acp.ts"
import { aiSdks } from "./ai-sdk.ts"
import { embedded } from "./embedded.ts"
import { type Capability, capabilities, Folder, type Host, type OpenHost } from "./host.ts"
import { langgraph } from "./langgraph.ts"
import { mastra } from "./mastra.ts"
import { mcp } from "./mcp.ts"
import { openaiAgents } from "./openai-agents.ts"
import { python } from "./python.ts"
import { terminal } from "./terminal.ts"

const cli = useCli()

const hosts: ReadonlyArray<Host> = [
  embedded,
  terminal(cli),
  mcp(cli),
  acp(cli),
  ...aiSdks,
  openaiAgents,
  langgraph,
  mastra,
  python(cli),
]

const publish = { name: "publish", params: { text: "draft" } }
const reason = "Not on a Friday"

/** Uses a host in one way. Gives what came of it, as `outcomes` says that it should. */
const uses: Readonly<Record<Capability, (host: OpenHost, folder: Folder) => Promise<unknown>>> = {
  async approve(host, folder) {
    folder.letItEnd()
    const told = await host.call(publish, { answer: "approve" })
    return { isTold: told?.includes("published draft"), published: folder.written("published") }
  },
  async "deny with a reason"(host, folder) {
    folder.letItEnd()
    const told = await host.call(publish, { answer: { reason } })
    return { isTold: told?.includes(reason), published: folder.written("published") }
  },
  async edit(host, folder) {
    folder.letItEnd()
    const told = await host.call(publish, { answer: { params: { text: "final" } } })
    return { isTold: told?.includes("published final"), published: folder.written("published") }
  },
  // It does not end before somebody was shown what it streams.
  async stream(host, folder) {
    const told = await host.call(publish, { answer: "approve", whenShown: "let it end" })
    return { isTold: told?.includes("published draft"), published: folder.written("published") }
  },
  async cancel(host, folder) {
    const told = await host.call(publish, { answer: "approve", whenShown: "cancel" })
    await expect.poll(() => folder.written("stopped")).toBe("draft")
    return {
      isTold: told === undefined || !told.includes("published"),
      published: folder.written("published"),
    }
  },
  async background(host, folder) {
    const call = { ...publish, params: { ...publish.params, background: true } }
    const started = await host.call(call, { answer: "approve" })
    const id = /task_id: ([^)\s]+)/.exec(started ?? "")?.[1]
    const early = folder.written("published")
    folder.letItEnd()
    const wait = { name: "wait_background_task", params: { task_id: id } }
    const told = await host.call(wait, { answer: "approve" })
    return { isTold: told?.includes("published draft"), early, published: folder.written("published") }
  },
  async "preview and resolve"(host, folder) {
    const preview = await host.call({ name: "rename", params: {} }, { answer: "approve" })
    const early = folder.written("renamed")
    const resolve = { name: "resolve", params: { action: "apply", reason: "as asked" } }
    const told = await host.call(resolve, { answer: "approve" })
    const isShown = preview?.includes("three places would change")
    return {
      isShown,
      isTold: told?.includes("renamed three places"),
      early,
      renamed: folder.written("renamed"),
    }
  },
  async "ask within code"(host, folder) {
    folder.letItEnd()
    const source = `return await tools.publish({ text: "draft" }).catch((error) => error.name)`
    const code = { name: "run_code", params: { source } }
    const denied = await host.call(code, { answer: { reason } })
    const early = folder.written("published")
    const told = await host.call(code, { answer: "approve" })
    return {
      isThrown: denied?.includes("ToolDenied"),
      isTold: told?.includes("published draft"),
      early,
      published: folder.written("published"),
    }
  },
}

const outcomes: Readonly<Record<Capability, object>> = {
  approve: { isTold: true, published: "draft" },
  "deny with a reason": { isTold: true, published: undefined },
  edit: { isTold: true, published: "final" },
  stream: { isTold: true, published: "draft" },
  cancel: { isTold: true, published: undefined },
  background: { isTold: true, early: undefined, published: "draft" },
  "preview and resolve": { isShown: true, isTold: true, early: undefined, renamed: "as asked" },
  "ask within code": { isThrown: true, isTold: true, early: undefined, published: "draft" },
}

const programsOf = ({ program }: Host) => (program === undefined ? [] : [program])

const cells = new Map<string, string>()

/** Of one host, for all that is tried with it. */
const openIn = async (host: Host) => {
  const folder = new Folder(mkdtempSync(join(realpathSync(tmpdir()), "stepline-host-")))
  const open = await host.open(folder)
  return {
    folder,
    open,
    async [Symbol.asyncDispose]() {
      await open[Symbol.asyncDispose]()
      rmSync(folder.path, { recursive: true, force: true })
    },
  }
}

for (const host of hosts) {
  describeWith(...programsOf(host))(host.name, () => {
    const shared = useShared(() => openIn(host))
    for (const capability of capabilities) {
      const by = host.by[capability]
      it(
        typeof by === "string" ? `can ${capability}, by ${by}` : `cannot ${capability}: ${by.cannot}`,
        async () => {
          const { open, folder } = await shared()
          folder.clear()
          const outcome = await uses[capability](open, folder)
          if (typeof by === "string") expect(outcome).toEqual(outcomes[capability])
          else expect(outcome).not.toEqual(outcomes[capability])
          cells.set(`${host.name} ${capability}`, typeof by === "string" ? `✓ ${by}` : `cannot: ${by.cannot}`)
        },
      )
    }
  })
}

const row = (texts: ReadonlyArray<string>): string => `| ${texts.join(" | ")} |`

const rowOf = ({ name }: Host): string =>
  row([name, ...capabilities.map((capability) => cells.get(`${name} ${capability}`) ?? "did not run")])

describe("docs/hosts.md", () => {
  const page = readFileSync(join(checkout, "docs/hosts.md"), "utf8").split("\n")

  afterAll(() => console.log([row(["", ...capabilities]), ...hosts.map(rowOf)].join("\n")))

  for (const host of hosts) {
    it(`tells what ${host.name} did here`, (test) => {
      needs(test, ...programsOf(host))
      expect(page).toContain(rowOf(host))
    })
  }

  it("names what is tried, and no host besides", () => {
    const head = page.indexOf(row(["", ...capabilities]))
    expect(head).toBeGreaterThan(0)
    const rows = page.slice(head + 2, page.indexOf("", head))
    expect(rows.map((line) => line.split(" | ")[0]!.slice(2))).toEqual(hosts.map(({ name }) => name))
  })
})
