/**
 * Programs whose operands are each a separate command: `make test deploy` is `make test` and `make deploy`. A rule for one does
 * not cover the other.
 */
import { names } from "./names.ts"
import { programName, type ShellWord } from "./shell-word.ts"

/** By program, the options whose value is the next word. */
const valued: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  (
    [
      // Only options that are asked about. Others, such as `-o`, take no value after `--`, or as a value themselves.
      ["make gmake bmake", "-C -f -I --directory --file --makefile --include-dir"],
      ["ninja", "-C -f -j -k -l -d -t -w"],
      [
        "gradle gradlew",
        `
          -x -I -b -c -g -p -P -D -a --tests --exclude-task --max-workers --console --warning-mode --priority --task --group
          --configuration --dependency --init-script --project-dir --project-prop --system-prop --include-build --property
          --args --type --dsl --gradle-version --distribution-type --project-cache-dir --gradle-user-home
        `,
      ],
      [
        "mvn mvnw",
        "-P -T -pl -rf -D -f -s -gs -t -gt -l -b --projects --resume-from --threads --file --settings",
      ],
      ["rake", "-f -I -r -R -C -g -p -e -E -j -W --rakefile --libdir --require --directory"],
      ["ant", "-f -file -buildfile -lib -l -logfile -logger -listener -D -s -find"],
      ["task", "-t -d -C -o -I --taskfile --dir --concurrency --output --interval"],
    ] as const
  ).flatMap(([programs, options]) => {
    const known = new Set(names(options))
    return names(programs).map((program) => [program, known] as const)
  }),
)

/** Options for which only a number is a value: make takes any other word for a target. */
const counts = /^-\w*[jl]$|^--(jobs|load-average|max-load)$/

/** Programs that pass the words after `--` on to the target. */
const passing = new Set(["task"])

/** One of several operands, and the command with only this one. */
export interface Target {
  readonly at: number
  readonly words: ReadonlyArray<ShellWord>
}

const none: ReadonlyArray<Target> = []
/** More than anybody requests at once. */
const maxTargets = 32

/** Empty if there are fewer than two targets; undefined if there are too many to check each. */
export const targetsOf = (words: ReadonlyArray<ShellWord>): ReadonlyArray<Target> | undefined => {
  const program = programName(words[0]?.text ?? "")
  const options = valued.get(program)
  if (options === undefined) return none
  const mark = passing.has(program) ? words.findIndex(({ text }) => text === "--") : -1
  const places = words.slice(0, mark < 0 ? undefined : mark).flatMap(({ text }, at) => {
    if (at === 0 || /^-|=/.test(text)) return []
    const before = words[at - 1]!.text
    return options.has(before) || (counts.test(before) && /^[\d.]+$/.test(text)) ? [] : [at]
  })
  if (places.length < 2) return none
  if (places.length > maxTargets) return undefined
  return places.map((at) => ({
    at,
    words: words.filter((_, index) => index === at || !places.includes(index)),
  }))
}
