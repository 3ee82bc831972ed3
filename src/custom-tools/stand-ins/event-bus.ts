/** A separate event bus for a tool, as pi makes them. */
import { EventEmitter } from "node:events"
import { messageOf } from "../../text/message-of.ts"
import { loggerOf } from "../file-logger.ts"

export interface EventBusController {
  emit(channel: string, data: unknown): void
  on(channel: string, listener: (data: unknown) => unknown): () => void
  clear(): void
}

/** Makes a bus. A listener's failure is logged and never affects the emitter. */
export const createEventBus = (): EventBusController => {
  const emitter = new EventEmitter().setMaxListeners(0)
  return {
    emit: (channel, data) => {
      emitter.emit(channel, data)
    },
    on: (channel, listener) => {
      const safely = async (data: unknown) => {
        try {
          await listener(data)
        } catch (error) {
          loggerOf({}).warn(`A listener on the channel ${channel} failed: ${messageOf(error)}`)
        }
      }
      emitter.on(channel, safely)
      return () => emitter.off(channel, safely)
    },
    clear: () => {
      emitter.removeAllListeners()
    },
  }
}
