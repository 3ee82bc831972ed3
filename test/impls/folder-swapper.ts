/** A process that goes on swapping a folder for a link and back, until it is killed: the folder, and the link's target. */
import { renameSync, rmSync, symlinkSync } from "node:fs"

const [folder, target] = process.argv.slice(2) as [string, string]
const kept = `${folder}-kept`

/** Tools may make the folder while it is away. */
const inItsPlace = (put: () => void) => {
  for (;;) {
    try {
      rmSync(folder, { recursive: true, force: true })
      return put()
    } catch (cause) {
      if (!/EEXIST|ENOTEMPTY|ENOTDIR/.test(String(cause))) throw cause
    }
  }
}

/** So that others find either for a while; without the loop of events, whose turns are too long. */
const stay = (milliseconds: number) => {
  const end = performance.now() + milliseconds * Math.random()
  while (performance.now() < end);
}

const swap = () => {
  for (let round = 0; round < 50; round++) {
    renameSync(folder, kept)
    inItsPlace(() => symlinkSync(target, folder))
    stay(0.2)
    inItsPlace(() => renameSync(kept, folder))
    stay(1)
  }
  setImmediate(swap)
}

process.stdout.write("swapping\n")
swap()
