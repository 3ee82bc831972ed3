/** The mistakes that the tests are to find, whatever becomes of the tests. */
import { callMutants } from "./areas/call.ts"
import { durableMutants } from "./areas/durable.ts"
import { hostMutants } from "./areas/hosts.ts"
import { ruleMutants } from "./areas/rules.ts"
import { scheduleMutants } from "./areas/schedule.ts"
import { stagingMutants } from "./areas/staging.ts"
import { taskMutants } from "./areas/tasks.ts"
import type { Mutant } from "./mutant.ts"

export const mutants: ReadonlyArray<Mutant> = [
  ...callMutants,
  ...scheduleMutants,
  ...taskMutants,
  ...durableMutants,
  ...ruleMutants,
  ...stagingMutants,
  ...hostMutants,
]
