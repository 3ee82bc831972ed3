/** The channels between the extensions of a runner. Each extension has its own view of them. */
import { EventChannels } from "../event-channels.ts"
import type { EventBus } from "../extension.ts"
import { runIsolated } from "../loading/isolation.ts"
import type { Logger } from "../logger.ts"
import type { LoadedExtension } from "./loaded-extension.ts"

export class ExtensionBus {
  private readonly logger: Logger
  private readonly channels = new EventChannels()

  constructor(logger: Logger) {
    this.logger = logger
  }

  viewFor(extension: LoadedExtension): EventBus {
    const { path, resolvedPath } = extension.module
    return {
      emit: (channel, data) => this.channels.emit(channel, data),
      on: (channel, listener) => {
        if (extension.state === "failed") return () => undefined
        const isolated = (data: unknown) => runIsolated(resolvedPath, () => listener(data), this.logger)
        const end = this.channels.on(channel, isolated, (message) => this.logger.warn(message, { path }))
        extension.onFailure(end)
        return end
      },
    }
  }
}
