/**
 * `npm run mutants -- [--area NAME] [--only TEXT] [--jobs N] [--checkout FOLDER] [--unchecked]`: which mistakes the tests of a checkout
 * find. By hand, before and after tests are cut: they are to find the same. Exits with 1 where one survives. `--unchecked`: the tests
 * are known to pass without a mutant.
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { CheckoutCopy, mutatedSource } from "./checkout-copy.ts"
import type { Mutant } from "./mutant.ts"
import { mutants } from "./mutants.ts"
import { type RunOptions, runTests } from "./vitest-run.ts"

const text = { type: "string" } as const
const unchecked = { type: "boolean" } as const
const { values } = parseArgs({ options: { area: text, only: text, jobs: text, checkout: text, unchecked } })
const checkout = resolve(values.checkout ?? join(import.meta.dirname, "../.."))
const jobs = Number(values.jobs ?? 1)
if (!Number.isSafeInteger(jobs) || jobs < 1)
  throw new TypeError("Expected --jobs to be a positive whole number")

const isChosen = ({ area, mistake, file }: Mutant): boolean =>
  (values.area === undefined || area === values.area) && `${mistake} ${file}`.includes(values.only ?? "")
const chosen = mutants.filter(isChosen)
if (chosen.length === 0) {
  const areas = [...new Set(mutants.map(({ area }) => area))]
  throw new Error(`There is no such mutant. Areas: ${areas.join(", ")}`)
}

const misfitOf = (mutant: Mutant): ReadonlyArray<string> => {
  try {
    mutatedSource(checkout, mutant)
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}
// Of all: who moves a piece of the sources learns it from any run. The others are tried all the same.
const misfits = mutants.flatMap(misfitOf)
const fitting = chosen.filter((mutant) => misfitOf(mutant).length === 0)

/** Milliseconds for the tests of one mutant, and for those of all of them without one. */
const mutantLimit = 5 * 60_000
const soundLimit = 60 * 60_000

const folder = realpathSync(mkdtempSync(join(tmpdir(), "stepline-mutants-")))
const stop = new AbortController()
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => stop.abort(new Error(`Ended by ${signal}`)))
}

type Tests = Pick<RunOptions, "tests" | "project">

/** Each test once, by the projects that are run of it. */
const allTests = (copy: CheckoutCopy): Array<Tests> =>
  [...new Set(fitting.map(({ project }) => project))].map((project) => {
    const ofProject = fitting.filter((mutant) => mutant.project === project)
    return { project, tests: [...new Set(ofProject.flatMap(({ tests }) => copy.existing(tests)))] }
  })

/** Throws where a test fails without any mutant: that it fails would tell nothing. */
const expectSound = async (copy: CheckoutCopy): Promise<void> => {
  const options = { folder: copy.folder, bail: false, limit: soundLimit, signal: stop.signal }
  for (const tests of allTests(copy)) {
    const outcome = await runTests({ ...options, ...tests })
    if (outcome._tag === "Passed") continue
    const why = outcome._tag === "Broken" ? outcome.why : outcome.tests.join("\n")
    throw new Error(`Without a mutant the tests do not pass:\n${why}`)
  }
}

interface Verdict {
  readonly isCaught: boolean
  readonly how: string
}

const judge = async (copy: CheckoutCopy, { tests, project }: Mutant): Promise<Verdict> => {
  const options = { folder: copy.folder, bail: true, limit: mutantLimit, signal: stop.signal, project }
  const there = copy.existing(tests)
  if (there.length === 0)
    return { isCaught: false, how: `SURVIVED: there is no ${tests.join(", ")} any more` }
  for (const path of there) {
    const outcome = await runTests({ ...options, tests: [path] })
    if (outcome._tag === "Failed") return { isCaught: true, how: `caught by ${outcome.tests[0]}` }
    if (outcome._tag === "Broken") return { isCaught: false, how: `NOT TRIED: ${outcome.why}` }
  }
  return { isCaught: false, how: "SURVIVED" }
}

const survivors: Array<Mutant> = []
let count = 0

const tryAll = async (copy: CheckoutCopy, waiting: Iterator<Mutant>): Promise<void> => {
  for (let next = waiting.next(); next.done !== true; next = waiting.next()) {
    const mutant = next.value
    const start = performance.now()
    const { isCaught, how } = await copy.with(mutant, () => judge(copy, mutant))
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    if (!isCaught) survivors.push(mutant)
    count += 1
    console.log(`[${count}/${fitting.length}] ${nameOf(mutant)} (${mutant.file}, ${seconds} s): ${how}`)
  }
}

const nameOf = ({ area, mistake }: Mutant): string => `${area}: ${mistake}`

try {
  const copies = Array.from(
    { length: jobs },
    (_, job) => new CheckoutCopy(checkout, join(folder, String(job))),
  )
  if (values.unchecked !== true) {
    console.log(`${fitting.length} mutants of ${checkout}. Their tests are run without any of them first.`)
    await expectSound(copies[0]!)
  }
  const waiting = fitting.values()
  await Promise.all(copies.map((copy) => tryAll(copy, waiting)))
  console.log(`${fitting.length - survivors.length} of ${fitting.length} caught`)
  for (const mutant of survivors) console.log(`survived: ${nameOf(mutant)} (${mutant.file})`)
  for (const misfit of misfits) console.log(`not tried: ${misfit}`)
  if (survivors.length + misfits.length > 0) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
