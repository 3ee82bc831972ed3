/** One extension: where it comes from and what it registered, tools aside. Nothing of a failed one is ever used. */
import type { ExtensionCommand, ExtensionFlag, ExtensionListener } from "../extension.ts"
import type { LoadedExtensionTool } from "../loaded-tool.ts"

/** A module without its tool. */
export type ExtensionModule = Omit<LoadedExtensionTool, "tool">

export class LoadedExtension {
  readonly module: ExtensionModule
  /** By the type of the event. */
  readonly listeners = new Map<string, Array<ExtensionListener>>()
  readonly commands = new Map<string, ExtensionCommand>()
  readonly flags = new Map<string, ExtensionFlag>()
  /** What was wrong with single tools, while it loaded. */
  readonly errors: Array<string> = []
  /** How many tools it handed in, valid ones or not. */
  handedIn = 0
  /** A factory that nobody waits for any more may still run: what a failed one registers is dropped. */
  state: "loading" | "live" | "failed" = "loading"
  private cleanups: Array<() => void> = []

  constructor(module: ExtensionModule) {
    this.module = module
  }

  get registeredNothing(): boolean {
    const { handedIn, listeners, commands, flags } = this
    return handedIn + listeners.size + commands.size + flags.size === 0
  }

  /** Gives a function that ends the listening. */
  listen(type: string, listener: ExtensionListener): () => void {
    const listeners = this.listeners.get(type) ?? []
    this.listeners.set(type, [...listeners, listener])
    return () => {
      const rest = (this.listeners.get(type) ?? []).filter((other) => other !== listener)
      if (rest.length === 0) this.listeners.delete(type)
      else this.listeners.set(type, rest)
    }
  }

  /** Undoes something should the extension fail to load. */
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
