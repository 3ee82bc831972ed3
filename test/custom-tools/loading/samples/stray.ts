/** Foreign code that fails where nobody catches it; then the host ends itself. */
import { spawn } from "node:child_process"
import { setImmediate as nextTurn } from "node:timers/promises"
import { runIsolated } from "../../../../src/custom-tools/loading/isolation.ts"

const ignore = () => undefined

/** Runs foreign code until the logger is warned of what it left to nobody. */
const stray = (work: () => unknown) =>
  new Promise<void>((warned) => {
    const warn = (message: string) => {
      console.log(message)
      warned()
    }
    runIsolated("/tool.ts", work, { warn, error: ignore, info: ignore, debug: ignore })
  })

for (const event of ["uncaughtException", "unhandledRejection", "uncaughtExceptionMonitor"]) {
  process.on(event, () => console.log("the host was told"))
}

await stray(() => void Promise.reject(new Error("a rejection")))
await stray(() => {
  setImmediate(() => {
    throw new Error("a throw in a timer")
  })
})
await stray(() => {
  queueMicrotask(() => {
    throw new Error("a throw in a microtask")
  })
})
await stray(() => queueMicrotask(() => process.exit(9)))
await stray(() => spawn("/there/is/no/such/program"))
await stray(() => setImmediate(() => process.exit(9)))
await stray(async () => {
  try {
    process.exit(9)
  } finally {
    for (let turn = 0; turn < 5; turn++) await nextTurn()
  }
})
process.exit(4)
