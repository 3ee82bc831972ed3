/** Channels with listeners, which are called synchronously. A listener's failure is logged and never affects the emitter. */
import { messageOf } from "../text/message-of.ts"
import type { EventBus } from "./extension.ts"
import { loggerOf } from "./file-logger.ts"

type Listener = (data: unknown) => unknown

/** Its methods can be taken from it: tools do. */
export class EventChannels {
  private readonly channels = new Map<string, Set<Listener>>()

  readonly emit = (channel: string, data: unknown): void => {
    for (const tell of [...(this.channels.get(channel) ?? [])]) void tell(data)
  }

  /** Adds a listener. Returns a function that removes it. `warn` receives its failures; default: the log file. */
  readonly on = (
    channel: string,
    listener: Listener,
    warn = (message: string): void => loggerOf({}).warn(message),
  ): (() => void) => {
    const tell = async (data: unknown): Promise<void> => {
      try {
        await listener(data)
      } catch (error) {
        warn(`A listener on the channel ${channel} failed: ${messageOf(error)}`)
      }
    }
    const listening = this.channels.get(channel) ?? new Set()
    this.channels.set(channel, listening.add(tell))
    return () => {
      listening.delete(tell)
    }
  }

  readonly clear = (): void => this.channels.clear()
}

/** Makes a bus for a tool, as pi does. */
export const createEventBus = (): EventBus & Pick<EventChannels, "clear"> => new EventChannels()
