/** Which gates of a call are passed without asking: those decided before, those that the call or a rule decides. */
import type { ToolCall } from "../model/call.ts"
import type { Resolution } from "../model/handler.ts"
import type { Tool } from "../model/tool.ts"
import type { Engine } from "./engine.ts"

export class Gatekeeper {
  /** How the last gate was decided. */
  resolution: Resolution | undefined
  private readonly engine: Engine
  private passed = 0
  /** Gates that were decided before the call ran again with edited parameters. */
  private decided = 0

  constructor(engine: Engine) {
    this.engine = engine
  }

  /** Whether nobody will be asked at this many gates. */
  letsThrough(call: ToolCall, gates: number): boolean {
    return gates <= this.decided || call.decision === "approve"
  }

  /** Passes the next gate if nobody needs to be asked. */
  admits(call: ToolCall, tool: Tool<unknown> | undefined): boolean {
    if (this.passed >= this.decided && call.decision !== "approve" && !this.isAllowed(call, tool))
      return false
    this.passed += 1
    return true
  }

  /** The gate was approved by somebody who was asked. */
  pass(reason: string | undefined): void {
    this.passed += 1
    this.resolve(reason)
  }

  resolve(reason: string | undefined): void {
    this.resolution = reason === undefined ? { action: "apply" } : { action: "apply", reason }
  }

  /** The call starts over: the gates passed so far are not asked again. */
  startOver(): void {
    this.decided = this.passed
    this.passed = 0
  }

  remember(tool: Tool<unknown> | undefined, params: unknown): void {
    try {
      if (tool !== undefined) this.engine.rememberingFilters.remember?.(tool, params)
    } catch {
      // Without a rule the next call is asked again.
    }
  }

  private isAllowed(call: ToolCall, tool: Tool<unknown> | undefined): boolean {
    try {
      return tool !== undefined && this.engine.filters?.evaluate(tool, call.params) === "approve"
    } catch {
      return false
    }
  }
}
