import { approvals } from "./approvals.ts"
import { calls } from "./calls.ts"
import { code } from "./code.ts"
import { coldStart } from "./cold-start.ts"
import type { Section } from "./figure.ts"
import { shell } from "./shell.ts"

/** What `npm run bench` measures, by the name on its command line. */
export const sections: Readonly<Record<string, Section>> = {
  calls,
  "cold-start": coldStart,
  approvals,
  shell,
  code,
}

/** The pages with tables that `--readme` writes. */
export const pages: ReadonlyArray<string> = ["README.md", "docs/reference/costs.md"]
