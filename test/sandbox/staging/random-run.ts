/**
 * Random commands over random trees: what a staged run and its apply leave must be what a direct run leaves. A seed
 * gives the same tree and the same command again.
 *
 *     npx tsx --conditions=@stepline/source test/sandbox/staging/random-run.ts [RUNS] [FIRST SEED]
 */
import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { isDeepStrictEqual, promisify } from "node:util"
import { localProcesses } from "../../../src/io/processes.ts"
import { localStaging } from "../../../src/sandbox/staging/local-staging.ts"
import { treeOf } from "./tree.ts"

/** Mulberry32. */
const randomOf = (seed: number): ((below: number) => number) => {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below)
  }
}

const names = ["a", "b", "c", "d d", "é", ".h", "-x"]

type Random = (below: number) => number

const pick = <A>(random: Random, items: ReadonlyArray<A>): A => items[random(items.length)]!

/**
 * What is there, by its number; and `cp` of two paths, but of no folder into itself: there it stops at the entry that it has
 * made itself, whose place among the others goes by inode numbers, so that two direct runs differ too.
 */
const prelude = `e() { find . -mindepth 1 -not -path '*/.git/*' | LC_ALL=C sort | sed -n "$1p"; }
copy() { case "$(realpath -m -- "$3")/" in "$(realpath -m -- "$2")/"*) return 1 ;; esac; cp "$@"; }`

const somePath = (random: Random): string => {
  if (random(5) < 3) return `"$(e ${1 + random(20)})"`
  const parts = Array.from({ length: 1 + random(3) }, () => pick(random, names))
  return `'./${parts.join("/")}'`
}

const modes = ["644", "755", "600", "444", "700", "u+s,g-w", "a+x", "0555"]

/** Small commands, as agents write them. */
const snippets: ReadonlyArray<(path: () => string, random: Random) => string> = [
  (path, random) => `echo ${random(1000)} > ${path()}`,
  (path, random) => `echo ${random(1000)} >> ${path()}`,
  (path) => `mkdir -p ${path()}`,
  (path) => `rm -f ${path()}`,
  (path) => `rm -rf ${path()}`,
  (path) => `rmdir ${path()}`,
  (path) => `mv ${path()} ${path()}`,
  (path) => `mv -T ${path()} ${path()}`,
  (path) => `copy -r ${path()} ${path()}`,
  (path) => `copy -al ${path()} ${path()}`,
  (path) => `ln -s ${path()} ${path()}`,
  (path) => `ln -sfn ${path()} ${path()}`,
  (path) => `ln ${path()} ${path()}`,
  (path) => `ln -f ${path()} ${path()}`,
  (path, random) => `chmod ${pick(random, modes)} ${path()}`,
  (path, random) => `chmod -R ${pick(random, ["u+rwX", "go-w", "a+rX"])} ${path()}`,
  (path, random) => `sed -i 's/${random(10)}/x/g' ${path()}`,
  (path) => `truncate -s 0 ${path()}`,
  (path) => `touch ${path()}`,
  (path) => `rm -rf ${path()} && mkdir -p ${path()}`,
  (path) => {
    const folder = path()
    return `rm -rf ${folder}; mkdir -p ${folder}; echo new > ${folder}/a`
  },
  (path) => `p=${path()}; [ -f "$p" ] && rm "$p" && mkdir "$p" && echo in > "$p/in"`,
  (path) => `p=${path()}; [ -d "$p" ] && rm -rf "$p" && echo file > "$p"`,
  (path) => `tar c --exclude=./t ${path()} | (mkdir -p t && cd t && tar x)`,
  // While gzip makes the archive tar may read it as one of its files, empty or not yet: what is in it is chance.
  (path) =>
    `p=${path()}; rm -f ./z.tgz; tar czf ./z.tgz --exclude=./z.tgz --mtime=@0 --sort=name ./a "$p"; rm -rf a; tar xzf ./z.tgz`,
  (path) => `find ${path()} -type f -name '?' -delete`,
  (path) => `find ${path()} -depth -name 'a*' -exec mv {} {}2 \\;`,
  (path) => `dd if=/dev/zero of=${path()} bs=1000 count=100 2>/dev/null`,
  (path) => `cp ${path()} ${path()}; chmod 755 ${path()}; rm ${path()}`,
]

const git =
  "git init -q . && git add -A . && git -c user.name=a -c user.email=a@b -c core.fsyncMethod=batch commit -qm first --allow-empty && git checkout -qb next && git -c gc.auto=0 status --porcelain"

const commandOf = (random: Random): string => {
  const path = () => somePath(random)
  const parts = Array.from({ length: 1 + random(7) }, () => pick(random, snippets)(path, random))
  if (random(12) === 0) parts.push(git)
  if (random(60) === 0) parts.push("npm init -y >/dev/null")
  return [prelude, ...parts].join("\n")
}

/** Makes a tree; the same commands as in the runs make good trees. */
const plantOf = (random: Random): string => {
  const path = () => somePath(random)
  const folder = () => pick(random, ["a", "a/b", "b/c", "c", "d d/é/a"])
  const file = (): string => {
    const place = folder()
    return `mkdir -p '${place}'; echo ${random(1000)} > '${place}/${random(4)}'; chmod ${pick(random, modes)} '${place}/${random(4)}'`
  }
  const link = () =>
    `f=$(find . -type f | LC_ALL=C sort | sed -n ${1 + random(6)}p); ln "$f" ./l${random(5)}; ln "$f" a/l${random(5)}`
  const more = [
    ...Array.from({ length: 5 + random(6) }, file),
    ...Array.from({ length: random(4) }, link),
    ...Array.from({ length: random(4) }, () => `ln -s ${path()} ./s${random(3)}`),
    ...Array.from({ length: random(3) }, () => pick(random, snippets)(path, random)),
  ]
  if (random(12) === 0) more.push(git)
  return [prelude, ...more].join("\n")
}

const env = {
  ...process.env,
  GIT_AUTHOR_DATE: "2020-01-01T00:00:00Z",
  GIT_COMMITTER_DATE: "2020-01-01T00:00:00Z",
  GIT_CONFIG_NOSYSTEM: "1",
}

const bash = (command: string, cwd: string): Promise<unknown> =>
  promisify(execFile)("bash", ["-c", command], { cwd, env }).catch(() => {})

export interface RandomRun {
  readonly seed: number
  readonly command: string
  readonly direct: Readonly<Record<string, string>>
  readonly applied: Readonly<Record<string, string>>
  readonly before: Readonly<Record<string, string>>
  /** The tree after the preview alone. */
  readonly staged: Readonly<Record<string, string>>
  /** The tree after another preview of the same was discarded. */
  readonly discarded: Readonly<Record<string, string>>
}

const staging = localStaging({ processes: localProcesses })

export const randomRun = async (seed: number): Promise<RandomRun> => {
  const random = randomOf(seed)
  const root = await mkdtemp(join(tmpdir(), "stepline-random-"))
  try {
    const [one, other] = ["one", "other"].map((name) => join(root, name, "tree"))
    await mkdir(one!, { recursive: true })
    await bash(plantOf(random), one!)
    await mkdir(join(root, "other"))
    await promisify(execFile)("cp", ["-a", one!, other!])
    const command = commandOf(random)
    // An overlay moves a folder by copying it: a name elsewhere is no name of what was moved any more.
    const tree = (folder: string) => treeOf(folder, !/\bmv\b/.test(command))
    const before = await tree(other!)
    const stage = () =>
      staging.run({
        command: "bash",
        args: ["-c", command],
        cwd: other!,
        folder: other!,
        env,
        onOutput: async () => {},
      })
    const dropped = await stage()
    await staging.discard(dropped.id)
    const discarded = await tree(other!)
    const { id } = await stage()
    const staged = await tree(other!)
    const refused = await staging.apply(id).then(
      () => false,
      (error: Error) => /changed since the command saw/.test(error.message),
    )
    // What was changed through a name that then went is refused, not guessed.
    if (!refused) await bash(command, one!)
    return {
      seed,
      command,
      before,
      discarded,
      staged,
      direct: await tree(one!),
      applied: await tree(other!),
    }
  } finally {
    await bash("chmod -R u+rwx .", root)
    await rm(root, { recursive: true, force: true })
  }
}

const many = async (runs: number, first: number): Promise<void> => {
  let differing = 0
  for (let seed = first; seed < first + runs; seed++) {
    const run = await randomRun(seed)
    const isSame =
      isDeepStrictEqual(run.applied, run.direct) &&
      isDeepStrictEqual(run.staged, run.before) &&
      isDeepStrictEqual(run.discarded, run.before)
    if (isSame) continue
    differing++
    console.log(`seed ${seed}:\n${run.command}`)
    for (const path of new Set([...Object.keys(run.applied), ...Object.keys(run.direct)])) {
      if (run.applied[path] !== run.direct[path])
        console.log(`  ${path}\n    direct  ${run.direct[path]}\n    applied ${run.applied[path]}`)
    }
  }
  console.log(`${runs} runs from seed ${first}: ${differing} differ`)
  process.exitCode = differing === 0 ? 0 : 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await many(Number(process.argv[2] ?? 1000), Number(process.argv[3] ?? 1))
}
