/**
 * Calls a foreign tool's renderers. Three signatures are published, and a tool does not declare which one it uses, so each
 * argument combines all that are possible at its position.
 */

import type { RenderOptions, Tool } from "../model/tool.ts"
import { messageOf } from "../text/message-of.ts"
import type { ToolRenderContext } from "./extension.ts"
import { loggerOf } from "./file-logger.ts"
import type { CustomToolHost } from "./host.ts"
import { layered } from "./layered.ts"
import { quietly, runIsolated } from "./loading/isolation.ts"
import { plainTheme, spinnerFrames, type Theme } from "./theme.ts"
import type { ForeignTool, Runtime } from "./tool-shape.ts"
import type { Component } from "./ui-context.ts"

type RendererName = "renderCall" | "renderResult"

/** The state that is kept between renderings of a call. */
interface Row {
  readonly callId: string
  readonly state: Record<string, unknown>
  readonly components: Partial<Record<RendererName, Component>>
}

export interface Renderers extends Pick<Tool, RendererName> {
  /** Call it before a call is drawn: calls are identified by their parameters object. */
  started(params: unknown, callId: string): void
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const isComponent = (drawn: unknown): drawn is Component =>
  isObject(drawn) && typeof (drawn as Partial<Component>).render === "function"

const themeOf = ({ ui }: CustomToolHost): Theme => {
  const theme = ui?.theme
  return theme === undefined || theme === plainTheme ? plainTheme : layered(theme, plainTheme)
}

const linesOf = (drawn: unknown): string | undefined => {
  if (typeof drawn === "string") return drawn
  return Array.isArray(drawn) ? drawn.map(String).join("\n") : undefined
}

/** Throws for a promise, because rendering is synchronous. */
const atOnce = <T>(drawn: T): T => {
  if (quietly(drawn) instanceof Promise) throw new Error("it answered with a promise")
  return drawn
}

type Call = (...parts: Array<unknown>) => unknown

/**
 * Makes the renderers of a Tool. They return undefined, for the default rendering, unless the tool returns a string, lines
 * or a component.
 */
export const makeRenderers = (tool: ForeignTool, host: CustomToolHost, runtime: Runtime): Renderers => {
  const rows = new WeakMap<object, Row>()
  const failed = new Set<RendererName>()

  const started = (params: unknown, callId: string): Row => {
    const row: Row = { callId, state: {}, components: {} }
    if (isObject(params)) rows.set(params, row)
    return row
  }

  /** Draws with one of the renderers. Its errors are logged once, so that frequent drawing does not fill the log. */
  const draw = (
    name: RendererName,
    args: unknown,
    { expanded, isPartial = false, width }: RenderOptions,
    isError: boolean,
    call: (context: ToolRenderContext, theme: Theme) => unknown,
  ): string | undefined => {
    try {
      return runIsolated(tool.name, () => {
        const { callId, state, components } = (isObject(args) && rows.get(args)) || started(args, "")
        const context: ToolRenderContext = {
          args,
          toolCallId: callId,
          expanded,
          isPartial,
          isError,
          cwd: host.cwd ?? process.cwd(),
          state,
          lastComponent: components[name],
          executionStarted: callId !== "",
          argsComplete: true,
          showImages: false,
          // The host decides when to draw.
          invalidate: () => undefined,
        }
        const drawn = atOnce(call(context, themeOf(host)))
        if (!isComponent(drawn)) return linesOf(drawn)
        components[name] = drawn
        return linesOf(atOnce(drawn.render(width)))
      })
    } catch (error) {
      if (!failed.has(name)) {
        failed.add(name)
        const message = `${name} of tool "${tool.name}" failed; its default rendering is used`
        loggerOf(host).warn(message, { error: messageOf(error) })
      }
      return undefined
    }
  }

  const renderCall: Tool["renderCall"] = (params, options) =>
    draw("renderCall", params, options, false, (context, theme) =>
      (tool.renderCall as Call).call(tool, params, layered(viewOf(context), theme), layered(context, theme)),
    )
  const renderResult: Tool["renderResult"] = (result, options, params) =>
    draw("renderResult", params, options, result.isError, (context, theme) => {
      const { content, details } = result.output
      const { isError } = result
      const shown = { content, details, isError }
      const last = runtime === "pi" ? either(context, params) : either(params, context)
      return (tool.renderResult as Call).call(tool, shown, viewOf(context), theme, last)
    })
  return {
    started,
    ...(typeof tool.renderCall === "function" && { renderCall }),
    ...(typeof tool.renderResult === "function" && { renderResult }),
  }
}

/** Combines two objects, the first taking precedence; a value that is not an object is ignored. */
const either = (first: unknown, second: unknown): unknown => {
  if (!isObject(first)) return second
  return isObject(second) ? layered(first, second) : first
}

/** The frame time of oh-my-pi's spinner, in milliseconds. */
const frameTime = 80

const viewOf = ({ expanded, isPartial }: ToolRenderContext) => ({
  expanded,
  isPartial,
  ...(isPartial && { spinnerFrame: Math.floor(Date.now() / frameTime) % spinnerFrames.length }),
})
