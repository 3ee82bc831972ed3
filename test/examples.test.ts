// @module-tag waits
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { needs, type Program } from "./support/needs.ts"
import { root, runScript } from "./support/run-script.ts"

const folder = join(root, "examples")
const files = readdirSync(folder).filter((name) => name.endsWith(".ts"))

/** What each example says, in this order. An example without an entry fails. */
const says: Readonly<Record<string, ReadonlyArray<string>>> = {
  "01-own-tool.ts": ["complete: 7 words", "complete: 5 words", "error: Validation failed for tool"],
  "02-approval.ts": [
    "Completed: Sent to anne@example.org: hello",
    "Denied: Denied by policy",
    "Completed: Sent to carol@example.com: hello, edited",
    "Denied: not now",
  ],
  "03-streaming.ts": [
    "10 9 8 7 6 5 4 3 2 1 (cleaned up)",
    "Lift-off",
    "1000000000 999999999 999999998 (cleaned up)",
    "AbortError",
  ],
  "04-background.ts": [
    "Running in background (task_id: build)",
    "build (shell) [Running]",
    "Task build not found or still running",
    "meanwhile",
    "Task build (shell) [Complete]:\nbuilt",
    "Task build not found or still running",
  ],
  "05-effect-program.ts": [
    "Completed: Bern: 21°",
    "Error: There is no city named Atlantis",
    "Error: Timed out after 3 seconds",
  ],
  "06-small-host.ts": [
    "   1│hello world",
    "Successfully applied 1 edit(s)",
    "✗ Not on my machine",
    "hello pipeline",
  ],
  "07-preview-and-resolve.ts": [
    "— ast_edit gross($A): error",
    "Nothing matches gross($A).",
    "The model has ast_edit, resolve.",
    "This is a preview.",
    "Discarded: Replace net($A)",
    "Replaced 4 matches in 1 file.",
    "withTax(settings, withTax(settings, 2))",
    "shop.ts changed since the preview.",
    "withTax(mine)",
  ],
  "09-custom-tools.ts": [
    "repo_stats from repo-stats.ts",
    "take_note from careful-notes.ts",
    "Failed to load tool: ",
    '… Counting… {"content":[{"type":"text","text":"Counting…"}],"details":{"phase":"count"}}',
    "Files that match *.ts: 1",
    "Files that match 5: 0",
    "Noted: the total is 3",
    "— take_note: denied\nSecrets do not belong into notes",
    "- the total is 3",
  ],
  "08-sub-agents.ts": [
    'Spawned agent "files"',
    'cleaner: shell {"command":"rm -rf build"} → no',
    '<notification source="agent files">',
    "Agent cleaner [Complete]:\nrm -rf build: denied, Remove nothing",
    "No agents",
  ],
  "10-plan-approval.ts": [
    'error: Unknown tool "change_code". Available tools: read_code, resolve',
    "The plan is sent back: Say how you will test it.",
    'The plan "Prices with tax" is approved. Carry it out.',
  ],
  "19-code-edits.ts": [
    '10 edits wait. The first one: {"path":"src/cart.js"',
    "3. edit_file applied: Successfully applied 1 edit(s) to src/invoice.js",
    "4. edit_file denied: Legacy code stays as it is",
    "5. edit_file denied: Legacy code stays as it is",
    "10. edit_file applied",
    "export const cart = () => priceOf(1)",
  ],
  "12-code.ts": [
    "code/4 of code: order 7 of tea?",
    "code/5 of code: order 5 of sugar?",
    "looked at 3",
    "ToolDenied: There is enough in the kitchen",
  ],
  "11-durable.ts": [
    "Child: edit-1 waits for an approval",
    "The child is killed.",
    "Next: edit_file (edit-1) still waits",
    "export const price = gross",
  ],
  "13-bounded-results.ts": [
    "Tools: read_log\n",
    '[… 16786 bytes left out; read on with read_result { "call_id": "log", "offset": 52 } …]',
    "The whole has 16890 bytes.",
    "Tools: read_log,read_result",
    "1236: ok",
    'error: No result of call "log" is kept',
  ],
  "14-limits.ts": [
    "found 0, found 1, found 2, found 3, found 4, found 5",
    "At most 2 at once",
    "complete: 3 painted",
    "error: Limit reached: at most 4 in one turn for paint.",
    "The next turn: 2 painted",
  ],
  "15-who-may-approve.ts": [
    'eve: does not count. eve may not answer "d1".',
    "ann: counts. It has 1 of 2 approvals.",
    'ann: does not count. ann has approved "d1" already.',
    "bob: counts.",
    "users is dropped",
    "vote ann, approve bob, run bob []",
    "Line 2 was changed after it was written.",
  ],
  "16-time-at-a-gate.ts": [
    "first: hurry, its time is nearly over",
    "Nobody answered: deploy (first) goes to the one on call",
    "complete by user the one on call: shop is deployed",
    "Nobody answered: deploy (second) goes to the one on call",
    "denied by timeout",
  ],
  "17-many-at-once.ts": [
    "[ ] passwords: passwords -> public/passwords",
    "a.txt: true, passwords: true, b.txt: true",
    "complete by ann: moved a.txt",
    "complete by ann: moved b.txt",
    "still waits: late.txt",
    'There is no call "a.txt", or it has ended.',
  ],
  "18-replay.ts": [
    "cat report.txt: complete",
    "ask → allow: ",
    "allow → deny: ",
    "4 calls, 2 would be decided otherwise.",
    "Exit status 1",
  ],
}

/** What an example runs besides Node. */
const programs: Readonly<Record<string, ReadonlyArray<Program>>> = { "09-custom-tools.ts": ["git"] }

describe("examples", () => {
  for (const file of files) {
    it(`${file} runs and says what it shows`, async (test) => {
      needs(test, ...(programs[file] ?? []))
      const expected = says[file]
      expect(expected, `no expectation for ${file}`).toBeDefined()
      const { stdout } = await runScript(join(folder, file))
      let from = 0
      for (const text of expected!) {
        const at = stdout.indexOf(text, from)
        expect(at, `${JSON.stringify(text)} in ${stdout.slice(from)}`).toBeGreaterThanOrEqual(0)
        from = at + text.length
      }
    })

    it(`${file} is under sixty lines`, () => {
      expect(readFileSync(join(folder, file), "utf8").split("\n").length).toBeLessThanOrEqual(60)
    })
  }
})
