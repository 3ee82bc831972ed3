/** A process that takes a lock, says so, and holds it until it is killed. */
import { withFileLock } from "../../src/io/file-lock.ts"

await withFileLock(process.argv[2]!, () => {
  process.stdout.write("held\n")
  return new Promise(() => setInterval(() => {}, 60_000))
})
