import { describe, expect, it } from "vitest"
import type { AnyCustomTool } from "../../src/custom-tools/custom-tool.ts"
import type { AnyToolDefinition } from "../../src/custom-tools/extension.ts"
import {
  type CustomToolHost,
  fromCustomTool,
  fromPiTool,
  noOpUI,
  type Theme,
  type ToolRenderContext,
} from "../../src/custom-tools/index.ts"
import type { RenderOptions, Tool, ToolResult } from "../../src/index.ts"
import { expectNothingUnhandled } from "../support/unhandled.ts"
import { recordingLogger } from "./extensions/load-sources.ts"
import { customTool, executorFor, piTool } from "./tool-runs.ts"

const options: RenderOptions = { width: 40, expanded: false }

/** A class, as published themes are; its method insists on its own object. */
class Brackets implements Theme {
  #open = "<"
  fg = (color: string, text: string) => `${color}:${text}`
  bg = this.fg
  bold(text: string) {
    return `${this.#open}${text}>`
  }
  italic = this.bold
  underline = this.bold
  strikethrough = this.bold
  inverse = this.bold
}
const themed: CustomToolHost = { ui: { ...noOpUI, theme: new Brackets() } }

const omp = (renderers: object, host?: CustomToolHost) =>
  fromCustomTool(
    customTool(() => "", renderers as Partial<AnyCustomTool>),
    host,
  )
const pi = (renderers: object, host?: CustomToolHost) =>
  fromPiTool(
    piTool(() => "", renderers as Partial<AnyToolDefinition>),
    host,
  )

const resultOf = (text: string, details?: unknown): ToolResult => ({
  status: "complete",
  content: text,
  output: { content: [{ type: "text", text }], details },
  isError: false,
})
const call = (tool: Tool, params: unknown = {}, view = options) => tool.renderCall?.(params, view)
const result = (tool: Tool, params: unknown = {}, view = options) =>
  tool.renderResult?.(resultOf("done", { count: 2 }), view, params)

describe("renderCall", () => {
  type Args = { path: string }
  const expanded = { ...options, expanded: true, isPartial: true }

  it("may take the theme second", () => {
    const renderCall = (args: Args, theme: Theme) => theme.fg("accent", theme.bold(args.path))
    expect(call(omp({ renderCall }), { path: "a" })).toBe("a")
    expect(call(omp({ renderCall }, themed), { path: "a" })).toBe("accent:<a>")
  })

  it("may take options second and the theme third", () => {
    const renderCall = (args: Args, view: RenderOptions, theme: Theme) =>
      theme.bold(`${args.path} ${view.expanded} ${view.isPartial}`)
    expect(call(omp({ renderCall }, themed), { path: "a" })).toBe("<a false false>")
    expect(call(omp({ renderCall }), { path: "a" }, expanded)).toBe("a true true")
  })

  it("may take the theme second and the context third", () => {
    const renderCall = (_args: Args, theme: Theme, context: ToolRenderContext<Args>) =>
      theme.bold(`${context.args.path} ${context.expanded} ${context.isPartial} ${context.cwd}`)
    expect(call(pi({ renderCall }, { ...themed, cwd: "/w" }), { path: "a" })).toBe("<a false false /w>")
    expect(call(pi({ renderCall }, { cwd: "/w" }), { path: "a" }, expanded)).toBe("a true true /w")
  })

  it("may spread its options, and take methods off its theme", () => {
    const renderCall = (_args: Args, view: RenderOptions, theme: Theme) => {
      const { bold } = theme
      return bold(JSON.stringify({ ...view }))
    }
    expect(call(omp({ renderCall }, themed))).toBe('<{"expanded":false,"isPartial":false}>')
  })
})

describe("renderResult", () => {
  it("gets content, details and the error status", () => {
    const renderResult = (received: unknown) => JSON.stringify(received)
    expect(JSON.parse(result(omp({ renderResult })) ?? "")).toEqual({
      content: [{ type: "text", text: "done" }],
      details: { count: 2 },
      isError: false,
    })
    const failed = { ...resultOf("no"), isError: true, status: "error" as const }
    const shown = omp({ renderResult }).renderResult?.(failed, options, {})
    expect(JSON.parse(shown ?? "")).toMatchObject({ isError: true })
  })

  it("gets options and the theme", () => {
    const renderResult = (_result: unknown, view: RenderOptions, theme: Theme) =>
      theme.fg("muted", `${view.expanded} ${view.isPartial}`)
    expect(result(omp({ renderResult }, themed))).toBe("muted:false false")
    expect(result(pi({ renderResult }), {}, { ...options, isPartial: true })).toBe("false true")
  })

  it("gets the frame of a spinner while it is only a part", () => {
    const renderResult = (_result: unknown, { spinnerFrame }: { spinnerFrame?: number }) => {
      const frames = ["|", "/", "-", "\\"]
      return spinnerFrame === undefined ? "none" : String(frames[spinnerFrame] !== undefined)
    }
    expect(result(omp({ renderResult }))).toBe("none")
    expect(result(omp({ renderResult }), {}, { ...options, isPartial: true })).toBe("true")
  })

  it("gets the arguments last, or the context", () => {
    const params = { path: "a", state: "of the call" }
    const byArgs = (_r: unknown, _o: unknown, _t: unknown, args: typeof params) =>
      `${args.path} ${args.state}`
    const byContext = (_r: unknown, _o: unknown, _t: unknown, context: ToolRenderContext<typeof params>) =>
      `${context.args.path} ${context.isError} ${typeof context.state}`
    expect(result(omp({ renderResult: byArgs }), params)).toBe("a of the call")
    expect(result(pi({ renderResult: byContext }), params)).toBe("a false object")
    // Extensions of oh-my-pi register tools by pi's channel and take arguments.
    const byPath = (_r: unknown, _o: unknown, _t: unknown, args: { path: string }) => args.path
    expect(result(pi({ renderResult: byPath }), params)).toBe("a")
    expect(result(omp({ renderResult: byContext }), { path: "a" })).toBe("a false object")
  })
})

describe("what a renderer gives", () => {
  expectNothingUnhandled()
  const drawn = (value: unknown) => result(omp({ renderResult: () => value }))

  it("is text, or lines, or a component of the screen's width", () => {
    expect(drawn("a\nb")).toBe("a\nb")
    expect(drawn(["a", "b"])).toBe("a\nb")
    expect(drawn({ render: (width: number) => ["x".repeat(width), "y"] })).toBe(`${"x".repeat(40)}\ny`)
  })

  it.each([[undefined], [null], [5], [{}], [{ render: () => 5 }]])(
    "is the default rendering for %j",
    (value) => {
      expect(drawn(value)).toBeUndefined()
    },
  )

  it("is not asked for where the tool has no renderer", () => {
    expect(omp({})).not.toHaveProperty("renderCall")
    expect(omp({ renderCall: "no function" })).not.toHaveProperty("renderCall")
  })

  it("is the default rendering after a throw, which is logged once for each renderer", () => {
    const logged: Array<unknown> = []
    const warn = (...parts: Array<unknown>) => logged.push(parts)
    const logger = { warn, error: warn, info: warn, debug: warn }
    const fails = () => {
      throw new Error("no")
    }
    const failing = { renderCall: fails, renderResult: () => ({ render: fails }) }
    const tool = omp(failing, { logger })
    for (let n = 0; n < 3; n++) {
      expect(call(tool)).toBeUndefined()
      expect(result(tool)).toBeUndefined()
    }
    const failure = (name: string) => `${name} of tool "sample" failed; its default rendering is used`
    expect(logged).toEqual([
      [failure("renderCall"), { error: "no" }],
      [failure("renderResult"), { error: "no" }],
    ])
  })

  it.each([
    ["a renderer", (promise: () => unknown) => promise],
    ["a component", (promise: () => unknown) => () => ({ render: promise })],
  ])("is the default rendering for a promise of %s, even one that nobody handles", (_of, renderer) => {
    const logger = recordingLogger()
    for (const promise of [() => Promise.reject(new Error("late")), () => Promise.resolve("late")]) {
      const tool = omp({ renderCall: renderer(promise) }, { logger })
      expect([call(tool), call(tool)]).toEqual([undefined, undefined])
    }
    const warning = 'renderCall of tool "sample" failed; its default rendering is used'
    expect(logger.warnings).toEqual([warning, warning])
  })

  it("is nothing that ends the process", () => {
    const logger = { warn: () => {}, error: () => {}, info: () => {}, debug: () => {} }
    expect(call(omp({ renderCall: () => process.exit(3) }, { logger }))).toBeUndefined()
  })
})

describe("a call that is drawn again", () => {
  const counting = {
    renderCall: (_args: unknown, _theme: Theme, context: ToolRenderContext) => {
      context.state.drawn = Number(context.state.drawn ?? 0) + 1
      const last = context.lastComponent as { n: number } | undefined
      return { n: (last?.n ?? 0) + 1, render: () => [`${context.state.drawn} ${last?.n}`] }
    },
    renderResult: (_r: unknown, _o: unknown, _t: unknown, context: ToolRenderContext) =>
      `${context.state.drawn} ${context.lastComponent}`,
  }

  it("keeps its state and, for each renderer, its component", () => {
    const tool = pi(counting)
    const params = {}
    expect([call(tool, params), call(tool, params), result(tool, params)]).toEqual([
      "1 undefined",
      "2 1",
      "2 undefined",
    ])
    expect(call(tool, {})).toBe("1 undefined")
  })

  it("knows its id once it has started", async () => {
    const renderCall = (_args: unknown, _theme: Theme, context: ToolRenderContext) =>
      `${context.toolCallId} ${context.executionStarted}`
    const tool = pi({ renderCall }, { approval: false })
    const drawn: Array<string | undefined> = []
    await executorFor(tool).run({ callId: "c", name: "sample" }, (event) => {
      if (event._tag === "Started") drawn.push(call(tool, event.params))
    })
    expect(drawn).toEqual(["c true"])
    expect(call(tool, {})).toBe(" false")
  })
})

describe("the plain theme", () => {
  it("has the signs of the published one, and nothing for those that it does not know", () => {
    type Signs = { status: Record<string, string>; icon: Record<string, string>; symbol(key: string): string }
    const renderCall = (_args: unknown, _options: unknown, theme: Signs) =>
      [theme.status.success, theme.symbol("status.success"), theme.icon.folder, theme.status.unheard].join(
        "|",
      )
    expect(call(omp({ renderCall }))).toBe("✓|✓||")
    expect(call(omp({ renderCall }, themed))).toBe("✓|✓||")
  })
})
