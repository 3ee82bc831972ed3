/** One extension: its origin and what it registered, except tools. Nothing of a failed extension is used. */
import type { ExtensionCommand, ExtensionFlag, ExtensionListener } from "../extension.ts"
import type { LoadedExtensionTool } from "../loaded-tool.ts"

/** A module without its tool. */
export type ExtensionModule = Omit<LoadedExtensionTool, "tool">

export class LoadedExtension {
  readonly module: ExtensionModule
  /** By event type. */
  readonly listeners = new Map<string, Array<ExtensionListener>>()
  readonly commands = new Map<string, ExtensionCommand>()
  readonly flags = new Map<string, ExtensionFlag>()
  /** Problems with single tools during loading. */
  readonly errors: Array<string> = []
  /** How many tools it registered or returned, valid or not. */
  handedIn = 0
  /** A factory that timed out can still run: registrations of a failed extension are dropped. */
  state: "loading" | "live" | "failed" = "loading"
  private cleanups: Array<() => void> = []

  constructor(module: ExtensionModule) {
    this.module = module
  }

  get registeredNothing(): boolean {
    const { handedIn, listeners, commands, flags } = this
    return handedIn + listeners.size + commands.size + flags.size === 0
  }

  /** Adds a listener. Returns a function that removes it. */
  listen(type: string, listener: ExtensionListener): () => void {
    const listeners = this.listeners.get(type) ?? []
    this.listeners.set(type, [...listeners, listener])
    return () => {
      const rest = (this.listeners.get(type) ?? []).filter((other) => other !== listener)
      if (rest.length === 0) this.listeners.delete(type)
      else this.listeners.set(type, rest)
    }
  }

  /** Adds a cleanup, in case the extension fails to load. */
  onFailure(cleanup: () => void): void {
    if (this.state === "loading") this.cleanups.push(cleanup)
  }

  succeed(): void {
    this.state = "live"
    this.cleanups = []
  }

  fail(): void {
    this.state = "failed"
    for (const cleanup of this.cleanups) cleanup()
    this.cleanups = []
  }
}
