// @module-tag waits
// @module-tag node
import { Type } from "@sinclair/typebox"
import type { ToolEvent } from "stepline"
import { defineTool, pipeline, Step, ToolExecutor, ToolRegistry } from "stepline"
import { describe, expect, it } from "vitest"
import { currentCall } from "../../../src/custom-tools/current-call.ts"
import { type CustomToolAPI, type CustomToolPendingAction, noOpUI } from "../../../src/custom-tools/index.ts"
import { makeCustomToolAPI } from "../../../src/custom-tools/loading/custom-tool-api.ts"
import { runIsolated } from "../../../src/custom-tools/loading/isolation.ts"
import { ownZod } from "../../../src/custom-tools/stand-ins/typebox.ts"
import { useTempFolder } from "../../io/temp-folder.ts"
import { writeFiles } from "./write-files.ts"

const path = useTempFolder()

describe("the API object", () => {
  it("has what tools are promised", async () => {
    const { api } = await makeCustomToolAPI(path())
    expect(api.cwd).toBe(path())
    expect(api.typebox.Type.String()).toMatchObject({ type: "string" })
    expect(api.pi).toHaveProperty("truncateHead")
    expect(Object.keys(api.logger)).toEqual(expect.arrayContaining(["error", "warn", "info", "debug"]))
    const { stdout, code } = await api.exec(process.execPath, ["-p", "process.cwd()"])
    expect([stdout.trim(), code]).toEqual([path(), 0])
  })

  it("shows the host's screen until it is given another", async () => {
    const titled = (title: string) => ({ ...noOpUI, input: async () => title })
    const { api, setUIContext } = await makeCustomToolAPI(path(), {
      host: { ui: titled("host"), hasUI: true },
    })
    expect([await api.ui.input("?"), api.hasUI]).toEqual(["host", true])
    setUIContext(titled("other"), false)
    expect([await api.ui.input("?"), api.hasUI]).toEqual(["other", false])
  })

  it("takes zod and the agent's package from where the agent works", async () => {
    expect((await makeCustomToolAPI(path())).api.zod).toBe(ownZod())
    await writeFiles(path(), {
      "node_modules/zod/package.json": `{ "name": "zod", "type": "module", "exports": "./index.js" }`,
      "node_modules/zod/index.js": "export const z = 1",
      "node_modules/@oh-my-pi/pi-coding-agent/package.json": "{}",
      "node_modules/@oh-my-pi/pi-coding-agent/index.js": "exports.isReal = true",
    })
    const { api } = await makeCustomToolAPI(path())
    expect(api.zod).toMatchObject({ z: 1 })
    expect(api.pi).toEqual({ isReal: true })
    const always = await makeCustomToolAPI(path(), { standIns: "always" })
    expect(always.api.pi).toHaveProperty("truncateHead")
  })
})

describe("the zod of the API object", () => {
  const zod = (version: string) => ({
    "node_modules/zod/package.json": `{ "name": "zod", "main": "./index.js" }`,
    "node_modules/zod/index.js": `exports.version = "${version}"`,
  })
  const inFolder = (folder: string, files: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(files).map(([file, text]) => [`${folder}/${file}`, text]))

  it("is the one beside the module that asks, else the one where the agent works", async () => {
    await writeFiles(path(), {
      ...inFolder("home", zod("of home")),
      ...inFolder("work", zod("of work")),
      "elsewhere/tool.ts": "",
    })
    const { api } = await makeCustomToolAPI(path("work"))
    const askedBy = (file: string) => runIsolated(path(file), () => api.zod)
    expect(askedBy("home/tools/tool.ts")).toEqual({ version: "of home" })
    expect(askedBy("elsewhere/tool.ts")).toEqual({ version: "of work" })
    expect(runIsolated("a tool's name", () => api.zod)).toEqual({ version: "of work" })
  })

  it("stays with a tool that asks again in its calls", async () => {
    await writeFiles(path(), { ...inFolder("home", zod("of home")) })
    const { api } = await makeCustomToolAPI(path("work"))
    expect(runIsolated("tool", () => api.zod)).toBe(ownZod())
    expect(runIsolated(path("home/tool.ts"), () => api.zod)).toEqual({ version: "of home" })
    expect(runIsolated("tool", () => api.zod)).toEqual({ version: "of home" })
  })
})

/** An executor with a tool that pushes an action as foreign code does. */
const staging = (api: CustomToolAPI, action: Partial<CustomToolPendingAction>): ToolExecutor => {
  const push = defineTool({
    name: "push",
    description: "Pushes.",
    parameters: Type.Object({}),
    compose: () =>
      pipeline().andThen(({ call, agent, signal }) =>
        currentCall.run({ callId: call.callId, agent, signal }, () => {
          api.pushPendingAction(action as CustomToolPendingAction)
          return Step.Output("pushed")
        }),
      ),
  })
  return new ToolExecutor(new ToolRegistry([push]))
}

const text = (words: string) => ({ content: [{ type: "text" as const, text: words }] })

describe("pushPendingAction", () => {
  const pushed = async (action: Partial<CustomToolPendingAction>) => {
    const { api } = await makeCustomToolAPI(path())
    const executor = staging(api, action)
    const result = await executor.run({ name: "push" })
    return { api, executor, result }
  }

  it("stages for the calling agent, and resolve applies it", async () => {
    const asked: Array<unknown> = []
    const { executor } = await pushed({
      label: "Rename",
      details: { files: 2 },
      apply: async (reason, extra) => {
        asked.push(reason, extra)
        return { ...text("applied"), details: { count: 2 } }
      },
    })
    const [staged] = executor.agent().pendingActions.list()
    expect(staged).toMatchObject({ label: "Rename", sourceToolName: "custom_tool", details: { files: 2 } })
    const result = await executor.agent().resolve({ action: "apply", reason: "fine", extra: { a: 1 } })
    expect([result.status, result.content, asked]).toEqual(["complete", "applied", ["fine", { a: 1 }]])
    expect(executor.agent().pendingActions.hasPending).toBe(false)
  })

  it("leaves it pending where the result says that it failed, or it throws", async () => {
    const answers = [
      () => ({ ...text("no space"), isError: true }),
      () => Promise.reject(new Error("boom")),
      () => text("ok"),
    ]
    const { executor } = await pushed({ label: "x", apply: () => answers.shift()!() })
    const apply = async () => (await executor.agent().resolve({ action: "apply", reason: "r" })).content
    expect(await apply()).toBe("no space")
    expect(await apply()).toBe("Apply failed: boom")
    expect(await apply()).toBe("ok")
    expect(executor.agent().pendingActions.hasPending).toBe(false)
  })

  it("tells its reject, or says the default text", async () => {
    const discard = async (action: Partial<CustomToolPendingAction>) => {
      const { executor } = await pushed({ label: "x", apply: () => text(""), ...action })
      return (await executor.agent().resolve({ action: "discard", reason: "no" })).content
    }
    expect(await discard({ reject: (reason) => text(`rejected: ${reason}`) })).toBe("rejected: no")
    expect(await discard({ reject: () => undefined })).toBe("Discarded: x. Reason: no")
    expect(await discard({})).toBe("Discarded: x. Reason: no")
  })

  it("lets an apply stage what comes next, for the same agent", async () => {
    const { api } = await makeCustomToolAPI(path())
    const next = { label: "second", apply: () => text("2") }
    const apply = () => {
      api.pushPendingAction(next)
      return text("1")
    }
    const executor = staging(api, { label: "first", apply })
    await executor.run({ name: "push", agentId: "sub" })
    await executor.agent("sub").resolve({ action: "apply", reason: "r" })
    expect(executor.agent("sub").pendingActions.list()).toMatchObject([{ label: "second" }])
  })

  it("refuses what is no action, as a failure of the call", async () => {
    const { result } = await pushed({ label: "x" })
    expect([result.status, result.content]).toEqual([
      "error",
      "Expected a pending action to have a string `label` and a function `apply`",
    ])
  })

  it("goes to the loader's store outside of any call, and throws where there is none", async () => {
    const action = { label: "x", apply: () => text("") }
    const executor = new ToolExecutor(new ToolRegistry([]))
    const { api } = await makeCustomToolAPI(path(), { pendingActions: executor.agent().pendingActions })
    api.pushPendingAction(action)
    expect(executor.agent().pendingActions.peek()).toMatchObject({ label: "x" })
    const { api: alone } = await makeCustomToolAPI(path())
    expect(() => alone.pushPendingAction(action)).toThrow(
      "Pending action store unavailable for custom tools in this runtime.",
    )
  })

  it("keeps a tool from ending the process in a callback", async () => {
    const { executor } = await pushed({ label: "x", sourceToolName: "renamer", apply: () => process.exit(1) })
    const events: Array<ToolEvent> = []
    const result = await executor
      .agent()
      .resolve({ action: "apply", reason: "r" }, { onEvent: (event) => events.push(event) })
    expect(result.content).toBe(
      "Apply failed: renamer called process.exit, which would end the program that runs it",
    )
  })
})
