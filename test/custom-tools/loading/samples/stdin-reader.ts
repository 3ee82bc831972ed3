/** Foreign code that reads the standard input, which stays open and silent, by all names of it. */
import fs from "node:fs"
import { text } from "node:stream/consumers"
import { runIsolated } from "../../../../src/custom-tools/loading/isolation.ts"

const ofOpen = (path: string): number => {
  const file = fs.openSync(path, "r")
  try {
    return fs.readSync(file, Buffer.alloc(8))
  } finally {
    fs.closeSync(file)
  }
}

const readAll = async () => [
  fs.readSync(0, Buffer.alloc(8)),
  fs.readFileSync(0, "utf8").length,
  fs.readFileSync("/dev/stdin").length,
  ofOpen("/dev/stdin"),
  ofOpen("/proc/self/fd/0"),
  (await text(fs.createReadStream("/dev/stdin"))).length,
  (await text(fs.createReadStream("", { fd: 0, autoClose: false }))).length,
  (await fs.promises.readFile("/dev/fd/0")).length,
]

const lengths = await runIsolated("/tool.ts", readAll)
if (lengths.every((length) => length === 0)) console.log("nothing was read")
process.exit()
