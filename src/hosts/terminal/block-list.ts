/** The blocks of the calls that have not ended yet, by call id. A finished block is returned once and forgotten. */
import type { Decision } from "../../model/decision.ts"
import type { ToolEvent } from "../../model/event.ts"
import { approvedBlock, type Block, foldBlock, isFinished, votedBlock } from "./block.ts"

/** Folds events into the blocks of running calls. */
export class BlockList implements Iterable<Block> {
  private readonly blocks = new Map<string, Block>()

  get size(): number {
    return this.blocks.size
  }

  get(callId: string): Block | undefined {
    return this.blocks.get(callId)
  }

  set(block: Block): void {
    this.blocks.set(block.callId, block)
  }

  delete(callId: string): void {
    this.blocks.delete(callId)
  }

  clear(): void {
    this.blocks.clear()
  }

  /** In the order of their first events. */
  [Symbol.iterator](): IterableIterator<Block> {
    return this.blocks.values()
  }

  /** Folds an event in; returns its block, also for the event that ends the call. */
  apply(event: ToolEvent, now: number): Block | undefined {
    if (event._tag === "ActionPending" || event._tag === "ActionResolved") return undefined
    // A refused duplicate has the id of a call that continues.
    if (event._tag === "Error" && event.reason === "duplicate") return foldBlock(undefined, event, now)
    const block = foldBlock(this.blocks.get(event.callId), event, now)
    if (block === undefined) return undefined
    if (isFinished(block)) this.blocks.delete(block.callId)
    else this.blocks.set(block.callId, block)
    return block
  }

  /** Records that the host has approved this call. */
  approved(callId: string, now: number): void {
    const block = this.blocks.get(callId)
    if (block?.status === "pending") this.blocks.set(callId, approvedBlock(block, now))
  }

  /** Records the parameters with which a call has passed its own gate: they can have been edited there. */
  passed({ callId, name, params }: Pick<Decision, "callId" | "name" | "params">): void {
    const block = this.blocks.get(callId)
    if (block?.toolName === name) this.blocks.set(callId, { ...block, params })
  }

  /** Records that this person has approved the call, which needs more people. */
  voted(callId: string, by: string | undefined): void {
    const block = this.blocks.get(callId)
    if (block?.status === "pending" && by !== undefined) this.blocks.set(callId, votedBlock(block, by))
  }
}
