/** One mistake, as a maintainer might make it: where it stands in the sources, and where it is to be found. */
export interface Mutant {
  readonly area: string
  /** What the program does by it, as a verb and what follows. */
  readonly mistake: string
  /** From the root of the checkout. */
  readonly file: string
  /** Stands once in the file: where it does not any more, the mutant has to be written anew. */
  readonly from: string
  readonly to: string
  /**
   * Files and folders of tests, run one after another until one finds it: those that are quick first. What is a folder finds it
   * also where files were merged.
   */
  readonly tests: ReadonlyArray<string>
  /** Which of vitest's projects are run. Default: all. */
  readonly project?: string
}

/** The engine's own suites run once more on durable executors, which finds nothing that they do not find. */
const onlyInMemory = "!durable"

type OfArea = Omit<Mutant, "area">

/** Mutants of one area. */
export const inArea = (area: string, mutants: ReadonlyArray<OfArea>): ReadonlyArray<Mutant> =>
  mutants.map((mutant) => ({ area, ...mutant }))

/** The same, for what the engine's own suites find. */
export const inEngine = (area: string, mutants: ReadonlyArray<OfArea>): ReadonlyArray<Mutant> =>
  mutants.map((mutant) => ({ area, project: onlyInMemory, ...mutant }))
