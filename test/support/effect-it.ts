/** A test that is an Effect: it runs in a scope of its own. */
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import { it } from "vitest"

export const effectIt = (name: string, test: () => Effect.Effect<void, unknown, Scope>): void =>
  it(name, () => Effect.runPromise(Effect.scoped(test())))
