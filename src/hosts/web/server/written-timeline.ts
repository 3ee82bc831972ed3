/** The timeline as one file that opens without a server: the page with its state written into it. */
import { createHash } from "node:crypto"
import { toCount } from "../../../model/got.ts"
import type { ToolExecutor } from "../../../pipeline/executor.ts"
import type { CallDetail } from "../state/detail.ts"
import { plainState } from "../state/page-state.ts"
import { ChangeLog } from "./change-log.ts"
import { pageFiles } from "./page-files.ts"
import { escapeHtml } from "./page-html.ts"
import { Recorder } from "./recorder.ts"

/** Options of `recordTimeline`. */
export interface TimelineOptions {
  /** The heading of the page. Default `"stepline"`. */
  readonly title?: string
  /** How many calls are kept; the oldest that have ended are dropped. Default 20,000. */
  readonly maxCalls?: number
}

/** A running recording. */
export interface TimelineRecording extends Disposable {
  /** The page with everything so far, including the tools' input and output. */
  html(): Promise<string>
}

const sourceOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

/** A script element must not contain its own end tag. */
const inScript = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c")

/**
 * Records what an executor does from here on, for a page that opens from disk.
 *
 * @example
 * using recording = recordTimeline(executor)
 * await executor.run({ name: "shell", params: { command: "ls" } })
 * await writeFile("out.html", await recording.html())
 */
export const recordTimeline = (executor: ToolExecutor, options: TimelineOptions = {}): TimelineRecording => {
  const { title = "stepline" } = options
  const log = new ChangeLog({ title, calls: false })
  const recorder = new Recorder(executor, log.add, toCount("maxCalls", options.maxCalls, 20_000))
  const stop = recorder.start()
  const html = async (): Promise<string> => {
    const { script, style } = await pageFiles()
    const state = log.current
    const details: Record<string, CallDetail> = {}
    for (const row of state.calls.values()) {
      const detail = recorder.book.get(row.key)?.detail(row)
      if (detail !== undefined) details[row.key] = detail
    }
    // The end tag of a script would end it in the middle of the page.
    const code = script.replaceAll("</script", "<\\/script")
    const policy = `default-src 'none'; script-src ${sourceOf(code)}; style-src ${sourceOf(style)}; base-uri 'none'; form-action 'none'`
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body><div id="page"></div>
<script type="application/json" id="written">${inScript({ state: plainState(state), details, at: Date.now() })}</script>
<script type="module">${code}</script>
</body>
</html>
`
  }
  return { html, [Symbol.dispose]: stop }
}
