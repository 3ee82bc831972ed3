import { PassThrough } from "node:stream"
import { afterEach, describe, expect, it } from "vitest"
import type { LineOutput } from "../../../src/hosts/serve/line-writer.ts"
import { ServeHost } from "../../../src/hosts/serve/serve-host.ts"
import { defineTool, pipeline, Step, ToolExecutor, ToolRegistry } from "../../../src/index.ts"
import { turn, until } from "../../support/deferred.ts"

/** A pipe whose reader takes what was written when it is told to. */
class HeldPipe implements LineOutput {
  readonly messages: Array<{ readonly id?: number; readonly params?: { readonly seq: number } }> = []
  pending = 0
  private readonly listeners: Array<() => void> = []

  write(text: string): boolean {
    this.messages.push(JSON.parse(text))
    this.pending += text.length
    return false
  }

  onRoom(listener: () => void): void {
    this.listeners.push(listener)
  }

  /** The reader takes all there is. */
  take(): void {
    this.pending = 0
    for (const listener of this.listeners) listener()
  }

  get events(): number {
    return this.messages.filter(({ params }) => params !== undefined).length
  }
}

let executor: ToolExecutor
let produced = 0

/** Streams for ever, as fast as it is let. */
const endless = defineTool({
  name: "endless",
  description: "Streams.",
  parameters: { type: "object", properties: {} },
  compose: () =>
    pipeline().andThen(async ({ delta, signal }) => {
      for (; !signal.aborted; produced++) await delta("x")
      return Step.Continue
    }),
})

const serve = () => {
  const pipe = new HeldPipe()
  const input = new PassThrough()
  const registry = new ToolRegistry([endless])
  const host = new ServeHost({
    version: "0",
    input,
    output: pipe,
    open: async ({ options }) => {
      executor = new ToolExecutor(registry, options)
      return { executor, registry }
    },
    isClientsFault: () => false,
  })
  let ids = 0
  const send = (method: string, params: object = {}) => {
    ids += 1
    input.write(`${JSON.stringify({ jsonrpc: "2.0", id: ids, method, params })}\n`)
  }
  void host.run()
  return { pipe, send, input }
}

/** Until nothing moves any more. */
const settled = async (): Promise<void> => {
  let before: number
  do {
    before = produced
    for (let i = 0; i < 20; i++) await turn()
  } while (produced !== before)
}

afterEach(async () => {
  produced = 0
  await executor.shutdown()
})

describe("a client that does not read", () => {
  it("is told no more than one event past what it took, and the tool waits", async () => {
    const { pipe, send } = serve()
    send("initialize", { protocolVersion: 1, options: { eventBuffer: 10 } })
    send("enqueue", { calls: [{ name: "endless" }] })
    // What checks its parameters is loaded first.
    await until(() => produced > 0)
    await settled()
    pipe.take()
    await settled()
    const { events } = pipe
    const before = produced
    expect(before).toBeLessThan(20)
    for (let i = 1; i <= 5; i++) {
      pipe.take()
      await settled()
      expect(pipe.events).toBe(events + i)
      expect(produced).toBeLessThanOrEqual(before + i)
    }
  })

  it("is not asked what else it wants, once its answers have piled up", async () => {
    const { pipe, send } = serve()
    send("initialize", { protocolVersion: 1 })
    await settled()
    for (let i = 0; i < 20_000; i++) send("tools/list")
    await settled()
    const answered = pipe.messages.length
    expect(answered).toBeLessThan(20_000)
    expect(pipe.pending).toBeLessThan(1024 * 1024 + 1000)
    while (pipe.messages.length < 20_001) {
      pipe.take()
      await settled()
    }
  })
})
