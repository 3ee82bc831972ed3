// @module-tag waits
/** What goes wrong with one message between a runner and its store, each in turn: no call is lost by it, and none runs twice. */
import type { Socket } from "node:net"
import { expect, it } from "vitest"
import { handler, pipeline, Step } from "../../../src/index.ts"
import { usePostgres } from "../../servers/postgres.ts"
import { proxied } from "../../servers/proxied.ts"
import { describeWith } from "../../support/needs.ts"
import { durableOf } from "../durable-of.ts"
import { adminOf } from "./admin.ts"

/** How late a message comes, or a connection ends from which one is missing, in milliseconds. */
const late = 20

/** What happens to one message. The connection is cut before it, loses it and is cut later, ends in its direction, or is slow. */
const faults = {
  cut: (_rest: Buffer, to: Socket, from: Socket) => {
    from.destroy()
    to.destroy()
  },
  lose: (_rest: Buffer, to: Socket, from: Socket) => {
    setTimeout(() => {
      from.destroy()
      to.destroy()
    }, late)
  },
  end: (_rest: Buffer, to: Socket) => {
    to.end()
  },
  delay: (rest: Buffer, to: Socket) => {
    to.cork()
    to.write(rest)
    setTimeout(() => to.uncork(), late)
  },
}
type Fault = (typeof faults)[keyof typeof faults]

const all = Object.values(faults)
/** By hand: one of these for every message. */
const only = faults[process.env.FAULT as keyof typeof faults] as Fault | undefined

/** A connection to the store on which the message of a number can go wrong. */
const faulty = async (store: string) => {
  let fault: { readonly cause: Fault; left: number } | undefined
  /** What comes after a fault gets lost with it, but for a delay. */
  const broken = new WeakSet<Socket>()
  /** What has come of a message that is not whole yet. */
  const begun = new WeakMap<Socket, Buffer>()
  const started = new WeakSet<Socket>()
  const pass = (bytes: Buffer, to: Socket, from: Socket, byClient: boolean) => {
    if (broken.has(from)) return
    let rest = Buffer.concat([begun.get(from) ?? Buffer.alloc(0), bytes])
    for (;;) {
      // The first message of a client has no type before its length.
      const type = byClient && !started.has(from) ? 0 : 1
      const length = rest.length < type + 4 ? Number.POSITIVE_INFINITY : type + rest.readInt32BE(type)
      if (rest.length < length) break
      if (fault !== undefined && --fault.left === 0) {
        const { cause } = fault
        fault = undefined
        if (cause !== faults.delay) broken.add(from)
        cause(rest, to, from)
        if (!broken.has(from)) begun.delete(from)
        return
      }
      to.write(rest.subarray(0, length))
      rest = rest.subarray(length)
      started.add(from)
    }
    begun.set(from, rest)
  }
  const url = await proxied(store, { pass })
  return {
    url,
    /** Lets the message of this number go wrong, counted from now on in both directions. */
    arm: (left: number, cause: Fault) => {
      fault = { cause, left }
    },
    /** Whether there have been fewer messages than that. */
    isArmed: () => fault !== undefined,
  }
}

describeWith("postgres")("a Postgres store on a bad connection", () => {
  const server = usePostgres()

  /** Lets each message of a call go wrong, in steps of `lanes` from `first`, until a call has no further message. */
  const tryFrom = async (store: string, first: number, lanes: number): Promise<void> => {
    const { url, arm, isArmed } = await faulty(store)
    const ran: Array<string> = []
    const notes = (name: string) =>
      handler(name, ({ call }) => {
        ran.push(`${call.callId} ${name}`)
        return Step.Output(name)
      })
    const plan = pipeline().andThen(notes("before")).awaitApproval().andThen(notes("after"))
    const durable = await durableOf(url, { plan })
    const ids: Array<string> = []
    for (let left = first; !isArmed(); left += lanes) {
      const callId = `c${left}`
      ids.push(callId)
      arm(left, only ?? all[(left + ids.length) % all.length]!)
      const result = await durable.executor.run({ callId, agentId: callId, name: "plan" }, (event) => {
        if (event._tag === "AwaitingApproval") event.approve()
      })
      expect(result).toMatchObject({ status: "complete", content: "after" })
    }
    expect(ids.length).toBeGreaterThan(20)
    expect(ran.sort()).toEqual(ids.flatMap((id) => [`${id} after`, `${id} before`]).sort())
    const sql = await adminOf(store)
    const told = await sql<Array<{ event: string }>>`SELECT event FROM stepline_events`
    const ended = told
      .map(({ event }) => JSON.parse(event) as { _tag: string; callId: string })
      .filter(({ _tag }) => _tag === "Completed")
    expect(ended.map(({ callId }) => callId).sort()).toEqual([...ids].sort())
    expect(await sql`SELECT FROM stepline_calls WHERE ended_at IS NULL`).toEqual([])
  }

  // Side by side, because after each fault the store is tried again only after a pause.
  it("loses no call and runs none twice, whichever message of a call goes wrong", async () => {
    const stores: Array<string> = []
    for (let count = 0; count < 4; count++) stores.push(await server.database())
    await Promise.all(stores.map((store, at) => tryFrom(store, at + 1, stores.length)))
  })
})
