/**
 * Whose preview a screen shows. It stays that call's until it is closed, or until nobody is left to close it: the call
 * has ended, and what it staged has been applied, discarded or dropped, cleanup included.
 */
export class PreviewOnShow {
  private owner: { readonly agentId: string; readonly callId: string } | undefined
  /** By the id of each pending action the call that staged it; undefined as long as that has not told its end. */
  private readonly stagedBy = new Map<string, string | undefined>()

  get callId(): string | undefined {
    return this.owner?.callId
  }

  /** A call may follow its own preview with another one. */
  hasRoomFor(callId: string): boolean {
    return this.owner === undefined || this.owner.callId === callId
  }

  show(agentId: string, callId: string): void {
    this.owner = { agentId, callId }
  }

  /** False where another call's preview is on show, or none. */
  close(callId: string): boolean {
    if (this.owner?.callId !== callId) return false
    this.owner = undefined
    return true
  }

  /** Closes whatever is on show, or what an agent shows. */
  clear(agentId: string | undefined): void {
    if (agentId === undefined || this.owner?.agentId === agentId) this.owner = undefined
  }

  /** `sourceCallId` names the call where it is not the one that tells its end next. */
  actionPending(actionId: string, sourceCallId: string | undefined): void {
    this.stagedBy.set(actionId, sourceCallId)
  }

  /** `actionId` is what it staged. That may be over already. */
  callEnded(callId: string, actionId: string | undefined): void {
    if (actionId !== undefined && this.stagedBy.has(actionId)) {
      this.stagedBy.set(actionId, this.stagedBy.get(actionId) ?? callId)
    }
    this.closeUnlessStaged(callId)
  }

  actionResolved(actionId: string): void {
    const callId = this.stagedBy.get(actionId)
    this.stagedBy.delete(actionId)
    if (callId !== undefined) this.closeUnlessStaged(callId)
  }

  private closeUnlessStaged(callId: string): void {
    if (this.owner?.callId !== callId) return
    if (![...this.stagedBy.values()].includes(callId)) this.owner = undefined
  }
}
