/** Fails a test of this file that leaves a rejection or an exception to the process. */
import { afterEach, beforeEach, expect } from "vitest"
import { turn } from "./deferred.ts"

export const expectNothingUnhandled = (): void => {
  const unhandled: Array<unknown> = []
  const note = (reason: unknown) => unhandled.push(reason)
  beforeEach(() => {
    unhandled.length = 0
    process.on("unhandledRejection", note)
    process.on("uncaughtException", note)
  })
  afterEach(async () => {
    await turn()
    process.off("unhandledRejection", note)
    process.off("uncaughtException", note)
    expect(unhandled).toEqual([])
  })
}
