// @module-tag waits
// @module-tag node
import { makeLocalProcesses } from "../../src/io/index.ts"
import { testProcesses } from "./process-contract.ts"

testProcesses(makeLocalProcesses({ spawnHelper: "never" }))
