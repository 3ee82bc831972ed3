/** The answers that this process waits for: all of them are looked for together, each time that there is news. */
import type { RequestAnswer } from "../requests.ts"
import { unansweredError } from "../store-error.ts"
import type { Notices } from "./notices.ts"
import type { Sql } from "./sql.ts"

interface AnswerRow {
  readonly id: number
  readonly answer: string | null
  /** Whether the call has ended, and its task is taken. */
  readonly is_over: boolean
}

interface Waiting {
  readonly resolve: (answer: RequestAnswer) => void
  readonly reject: (error: unknown) => void
}

/** Requests of one process that nobody has answered yet. */
export class PendingAnswers {
  private readonly sql: Sql
  private readonly notices: Notices
  private readonly waiting = new Map<number, Waiting>()
  private isLooking = false
  private isClosed = false

  constructor(sql: Sql, notices: Notices) {
    this.sql = sql
    this.notices = notices
  }

  /** Resolves with the answer to a request; with false, where its call ends without one. Rejects once the store is closed. */
  to(request: number): Promise<RequestAnswer> {
    return new Promise((resolve, reject) => {
      if (this.isClosed) return reject(unansweredError())
      this.waiting.set(request, { resolve, reject })
      if (!this.isLooking) void this.look()
    })
  }

  /** None comes any more. */
  close(): void {
    this.isClosed = true
    const all = [...this.waiting.values()]
    this.waiting.clear()
    for (const { reject } of all) reject(unansweredError())
  }

  private async look(): Promise<void> {
    this.isLooking = true
    while (this.waiting.size > 0) {
      const mark = this.notices.mark()
      const ids = [...this.waiting.keys()]
      // Where the store is away, it is waited for.
      const rows = await this.read(ids).catch(() => undefined)
      if (rows !== undefined) this.settle(ids, new Map(rows.map((row) => [row.id, row])))
      if (this.waiting.size > 0) await this.notices.changed(mark, undefined)
    }
    this.isLooking = false
  }

  private async read(ids: Array<number>): Promise<Array<AnswerRow>> {
    return this.sql<Array<AnswerRow>>`
      SELECT id, answer, NOT EXISTS (SELECT FROM stepline_calls c WHERE c.call_id = r.call_id AND ended_at IS NULL)
        AND NOT EXISTS (SELECT FROM stepline_tasks t WHERE t.task_id = r.call_id) AS is_over
      FROM stepline_requests r WHERE id = ANY(${ids}::bigint[])`
  }

  private settle(ids: ReadonlyArray<number>, rows: ReadonlyMap<number, AnswerRow>): void {
    const over: Array<number> = []
    for (const id of ids) {
      const { answer = null, is_over: isOver = true } = rows.get(id) ?? {}
      if (answer === null && !isOver) continue
      if (answer === null) over.push(id)
      const waiting = this.waiting.get(id)
      this.waiting.delete(id)
      waiting?.resolve(answer === null ? { took: false } : (JSON.parse(answer) as RequestAnswer))
    }
    if (over.length > 0) this.withdraw(over)
  }

  /** Nobody takes them for what is asked of a later call of the same id. */
  private withdraw(ids: Array<number>): void {
    this.sql`DELETE FROM stepline_requests WHERE id = ANY(${ids}::bigint[]) AND answer IS NULL`.catch(
      () => undefined,
    )
  }
}
