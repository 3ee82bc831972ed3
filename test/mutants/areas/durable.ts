/** Calls that outlive their process: what is stored when, who runs them, and how often an answer counts. */
import { inArea } from "../mutant.ts"

const folder = "test/durable"
const of = (...files: ReadonlyArray<string>) => [...files.map((file) => `${folder}/${file}.test.ts`), folder]
const ofPostgres = (file: string) => [`${folder}/postgres/${file}.test.ts`, `${folder}/postgres`]

export const durableMutants = inArea("durable", [
  {
    mistake: "runs the next handler before it is stored what the one before put out",
    file: "src/durable/journal/urgency.ts",
    from: "return at > 0 || passed > 0 || edited || action !== undefined",
    to: "return passed > 0 || edited || action !== undefined",
    tests: of("durable", "away"),
  },
  {
    mistake: "cleans up before it is stored that it does",
    file: "src/durable/journal/urgency.ts",
    from: '    case "RunFinal":\n',
    to: "",
    tests: of("durable", "features"),
  },
  {
    mistake: "loses what the store did not take",
    file: "src/durable/journal/commits.ts",
    from: "gathered.putBack(taken, true)",
    to: "void taken",
    tests: of("store", "away", "features"),
  },
  {
    mistake: "takes an answer that was meant for the question before",
    file: "src/durable/journal/journal-entry.ts",
    from: "isKind && question.id === this.asked && askedAt === this.askedAt",
    to: "isKind && question.id === this.asked",
    tests: of("answers"),
  },
  {
    mistake: "puts an action back that was applied, though the store had not been told",
    file: "src/durable/journal/restore.ts",
    from: "settled === true && action ?",
    to: "settled === false && action ?",
    tests: of("durable", "features"),
  },
  {
    mistake: "puts an action back that was being dropped",
    file: "src/durable/journal/restore.ts",
    from: "if (row.isDropping) restore",
    to: "if (!row.isDropping && row.place < 0) restore",
    tests: of("durable", "features"),
  },
  {
    mistake: "keeps a rule that could not be remembered",
    file: "src/durable/journal/remembering-filter.ts",
    from: "if (isMade) made(tool, params, choice)",
    to: "made(tool, params, choice)",
    tests: of("durable", "features"),
  },
  {
    mistake: "numbers the events anew in each process",
    file: "src/pipeline/events/event-stamps.ts",
    from: "this.last = journal?.firstSequence ?? 0",
    to: "this.last = 0",
    tests: of("durable", "features"),
  },
  {
    mistake: "gives what was read before it was asked for",
    file: "src/durable/pending-reads.ts",
    from: "for (const waiting of asked) {\n        if (values",
    to: "for (const waiting of this.waiting) {\n        if (values",
    tests: of("pending-reads"),
  },
  {
    mistake: "tells an event twice that came while older ones were read",
    file: "src/durable/event-log.ts",
    from: "        if (event.seq <= last) continue\n",
    to: "",
    tests: of("durable", "features"),
  },
  {
    mistake: "lets two processes run the calls of one file",
    file: "src/durable/sqlite/database.ts",
    from: '    lock.exec("BEGIN EXCLUSIVE")\n',
    to: "",
    tests: of("store"),
  },
  {
    mistake: "carries a request out again that was answered before a restart",
    file: "src/durable/sqlite/journal-store.ts",
    from: "WHERE answer IS NULL AND id > ?",
    to: "WHERE id > ?",
    tests: of("answers", "store"),
  },
  {
    mistake: "drops an answer that comes before its question is put again",
    file: "src/durable/sqlite/sqlite-executor.ts",
    from: "if (!this.runner.answer(id, text)) return",
    to: "this.runner.answer(id, text)",
    tests: of("answers", "store"),
  },
  {
    mistake: "stores what a runner did whose calls others have",
    file: "src/durable/postgres/journal-store.ts",
    from: "if (alive.length === 0) throw new FencedError()",
    to: "",
    tests: ofPostgres("runners"),
  },
  {
    mistake: "overwrites the call of another runner that has the same id",
    file: "src/durable/postgres/journal-store.ts",
    from: "if (taken.length > 0) throw new RefusedError([], taken)",
    to: "",
    tests: ofPostgres("taken-ids"),
  },
  {
    mistake: "goes on as a runner though others have ended it",
    file: "src/durable/postgres/postgres-executor.ts",
    from: "    if (!signs.isAlive) return journal.fence()\n",
    to: "",
    tests: ofPostgres("silence"),
  },
  {
    mistake: "takes agents from runners that live",
    file: "src/durable/postgres/runner-rows.ts",
    from: "SELECT agent_id FROM stepline_agents a WHERE runner IS NULL AND",
    to: "SELECT agent_id FROM stepline_agents a WHERE runner IS DISTINCT FROM ${id} AND",
    tests: ofPostgres("runners"),
  },
  {
    mistake: "holds a runner to live of which it has seen one sign, however old",
    file: "src/durable/postgres/taking-over.ts",
    from: "if (signs.has(runner) && signs.get(runner) !== until)",
    to: "if (signs.get(runner) !== until)",
    tests: ofPostgres("taking-over"),
  },
  {
    mistake: "numbers an event anew that it stores again",
    file: "src/durable/postgres/write-changes.ts",
    from: "source: `${runner}:${seq}`,",
    to: "source: `${runner}:${seq}:${index}`,",
    tests: ofPostgres("faults"),
  },
  {
    mistake: "forgets a question that nobody has answered yet with what is old",
    file: "src/durable/postgres/prune.ts",
    from: "        answer IS NOT NULL\n        OR NOT EXISTS",
    to: "        answer IS NOT NULL OR true\n        OR NOT EXISTS",
    tests: ofPostgres("requests"),
  },
])
