/** Foreign code that prints in every way there is, beside a host that prints too. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { createWriteStream, writeFileSync, writeSync } from "node:fs"
import { open } from "node:fs/promises"
import { runIsolated, runOutside } from "../../../../src/custom-tools/loading/isolation.ts"

console.log("host 1")
await runIsolated("/tool.ts", async () => {
  console.log("by the console")
  process.stdout.write("by a stream\n")
  process.stdout.end("by a stream's end\n")
  process.stderr.end()
  writeSync(1, "by fs\n")
  writeFileSync("/dev/stdout", "by a path\n", { flag: "a" })
  const stream = createWriteStream("/dev/stdout", { flags: "a" })
  stream.end("by an own stream\n")
  await once(stream, "close")
  const handle = await open("/dev/fd/1", "a")
  await handle.write("by a file handle\n")
  await handle.close()
  spawnSync("echo", ["by a synchronous child"], { stdio: "inherit" })
  await once(spawn("echo", ["by a child"], { stdio: ["ignore", process.stdout, "pipe"] }), "close")
  runOutside(() => console.log("host 2"))
})
console.log("host 3")
