/**
 * The call whose preview a screen shows. The preview stays until it is closed, or until nothing is left that could close it:
 * the call has ended, and its staged action was applied, discarded or dropped, including its cleanup.
 */
export class PreviewOnShow {
  private owner: { readonly agentId: string; readonly callId: string } | undefined
  /** By the id of each pending action, the call that staged it; undefined until that call's end is known. */
  private readonly stagedBy = new Map<string, string | undefined>()

  get callId(): string | undefined {
    return this.owner?.callId
  }

  /** Whether a call's preview can be shown. A call can replace its own preview. */
  hasRoomFor(callId: string): boolean {
    return this.owner === undefined || this.owner.callId === callId
  }

  show(agentId: string, callId: string): void {
    this.owner = { agentId, callId }
  }

  /** Closes the preview of a call. Returns false if another call's preview is shown, or none. */
  close(callId: string): boolean {
    if (this.owner?.callId !== callId) return false
    this.owner = undefined
    return true
  }

  /** Closes the preview, or that of one agent. */
  clear(agentId: string | undefined): void {
    if (agentId === undefined || this.owner?.agentId === agentId) this.owner = undefined
  }

  /** `sourceCallId` names the call that staged the action, unless the next call to end is that call. */
  actionPending(actionId: string, sourceCallId: string | undefined): void {
    this.stagedBy.set(actionId, sourceCallId)
  }

  /** `actionId`: the action that the call staged, which may be over already. */
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
