/** Channels between extensions. A listener's failure is logged and never affects the emitter. */
import { messageOf } from "../../text/message-of.ts"
import type { EventBus } from "../extension.ts"
import { runIsolated } from "../loading/isolation.ts"
import type { Logger } from "../logger.ts"
import type { LoadedExtension } from "./loaded-extension.ts"

interface Subscription {
  readonly extension: LoadedExtension
  readonly listener: (data: unknown) => unknown
}

/** The bus that all extensions of a runner share; each listens through its own view. */
export class ExtensionBus {
  private readonly logger: Logger
  private readonly channels = new Map<string, Set<Subscription>>()

  constructor(logger: Logger) {
    this.logger = logger
  }

  viewFor(extension: LoadedExtension): EventBus {
    return {
      emit: (channel, data) => this.emit(channel, data),
      on: (channel, listener) => this.on(channel, { extension, listener }),
    }
  }

  private emit(channel: string, data: unknown): void {
    for (const subscription of [...(this.channels.get(channel) ?? [])]) {
      void this.tell(subscription, channel, data)
    }
  }

  private on(channel: string, subscription: Subscription): () => void {
    const { extension } = subscription
    if (extension.state === "failed") return () => undefined
    const listening = this.channels.get(channel) ?? new Set()
    this.channels.set(channel, listening.add(subscription))
    const end = () => {
      listening.delete(subscription)
    }
    extension.onFailure(end)
    return end
  }

  /** Calls the listener synchronously: emitters can rely on that. */
  private async tell({ extension, listener }: Subscription, channel: string, data: unknown): Promise<void> {
    const { path, resolvedPath } = extension.module
    try {
      await runIsolated(resolvedPath, () => listener(data), this.logger)
    } catch (error) {
      this.logger.warn(`A listener on the channel ${channel} failed: ${messageOf(error)}`, { path })
    }
  }
}
