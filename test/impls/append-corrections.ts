/** A process that records corrections: its folder, its name, and how many of them are its arguments. */

import { join } from "node:path"
import { appendCorrection, correctionsFile } from "../../src/io/corrections.ts"

const [folder, name, count] = process.argv.slice(2)

for (let index = 0; index < Number(count); index++) {
  await appendCorrection(join(folder!, correctionsFile), {
    goal: `${name} ${index}`,
    failed_attempt: "the first way",
    successful_approach: "another way",
  })
}
