/** A separate event bus for a tool, as pi makes them. */
import { EventChannels } from "../event-channels.ts"
import type { EventBus } from "../extension.ts"
import { loggerOf } from "../file-logger.ts"

export interface EventBusController extends EventBus {
  clear(): void
}

/** Makes a bus. A listener's failure is logged and never affects the emitter. */
export const createEventBus = (): EventBusController => {
  const channels = new EventChannels()
  return {
    emit: (channel, data) => channels.emit(channel, data),
    on: (channel, listener) => channels.on(channel, listener, (message) => loggerOf({}).warn(message)),
    clear: () => channels.clear(),
  }
}
