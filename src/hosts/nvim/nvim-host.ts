/** A Neovim as the editor of an executor: answers every IDE effect. Without a Neovim the effects succeed with nothing. */

import { toMillis } from "../../model/duration.ts"
import type { EffectOf } from "../../model/host-effect.ts"
import type { noIde } from "../../model/no-ide.ts"
import type { DelegateCall, Delegates } from "../../model/options.ts"
import type { DurationInput } from "../../model/step.ts"
import { longestTimer } from "../../pipeline/time/longest-timer.ts"
import { visibleText } from "../../text/visible-text.ts"
import { checkUnsaved, openFile, reloadBuffers } from "./buffer-lua.ts"
import { NvimLink } from "./link.ts"
import { type Pane, panesOfEdits, panesOfNew } from "./panes.ts"
import { PreviewLine } from "./preview-line.ts"
import { closePreview, showPreview } from "./preview-lua.ts"

/** The options of an `NvimHost`. */
export interface NvimHostOptions {
  /**
   * The socket, or `host:port`, at which Neovim listens (`nvim --listen`). Default: the first of these that answers:
   * `/tmp/nvim-<tmux session>.sock`, `$NVIM_LISTEN_ADDRESS` and `$NVIM`.
   */
  readonly socket?: string | undefined
  /** The source of these variables. Default: the process's environment. */
  readonly env?: NodeJS.ProcessEnv
  /** Time limit for an answer of Neovim. Default 3 seconds. */
  readonly requestTimeout?: DurationInput
  /**
   * How long a call waits while another call's preview is shown. After that the call continues, and its own preview is shown
   * once the other is closed. Default 10 seconds. Keep it below the executor's `delegateTimeout`, which fails the call.
   */
  readonly previewWait?: DurationInput
}

/** Undefined if there is too much to show. */
type Panes = ReadonlyArray<Pane> | undefined

const timerOf = (name: string, value: DurationInput | undefined, fallback: DurationInput): number =>
  Math.min(toMillis(name, value, fallback), longestTimer)

/**
 * Serves one executor. Looks for a Neovim at the first effect, and again at each effect while there is none: Neovim may be
 * started, quit and started again at any time.
 *
 * @example
 * await using nvim = new NvimHost()
 * await using executor = new ToolExecutor(registry, { delegates: nvim.delegates })
 */
export class NvimHost implements AsyncDisposable {
  /** For the executor's option `delegates`. Each returns nothing, or throws the error of the call. */
  readonly delegates = {
    IdeOpen: (effect, call) => this.open(effect, call),
    IdeShowPreview: ({ preview }, call) => this.show(preview.path, () => panesOfNew(preview.content), call),
    IdeShowDiffPreview: ({ path, edits }, call) => this.show(path, () => panesOfEdits(path, edits), call),
    IdeReloadBuffer: ({ path }, call) => this.reload(path, call),
    IdeClosePreview: async (_effect, call) => {
      await this.previews.close(call)
    },
    IdeCheckUnsavedEdits: ({ path }, call) => this.expectSaved(path, call),
  } satisfies Required<Pick<Delegates, keyof typeof noIde>>
  private readonly link: NvimLink
  private readonly previews: PreviewLine

  constructor(options: NvimHostOptions = {}) {
    const { socket, env = process.env, requestTimeout, previewWait } = options
    this.previews = new PreviewLine({
      close: (id) => this.link.execute(closePreview, [id], { evenIfStalled: true }),
      maxWait: timerOf("previewWait", previewWait, "10 seconds"),
    })
    this.link = new NvimLink({
      socket,
      env,
      timeout: timerOf("requestTimeout", requestTimeout, "3 seconds"),
      onNotification: (method, [id]) => {
        if (method === "stepline_preview_closed") this.previews.wasClosed(String(id))
      },
      onGone: () => this.previews.editorHasGone(),
    })
  }

  /**
   * Resolves with the address of the Neovim that answers; undefined if there is none. Rejects if the package `neovim` is not
   * installed. Calling it is optional: the effects connect by themselves.
   */
  async connect(): Promise<string | undefined> {
    return (await this.link.connect())?.address
  }

  /** Closes the previews and the connection. Effects that come later succeed with nothing. */
  async close(): Promise<void> {
    // A Neovim that does not answer keeps its previews; the user can close them.
    await this.previews.closeAll().catch(() => {})
    await this.link.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  private async open(
    { path, line, column }: EffectOf<"IdeOpen">,
    { signal }: DelegateCall,
  ): Promise<undefined> {
    await this.link.execute(openFile, [path, line ?? null, column ?? null], { signal })
  }

  private async show(
    path: string,
    panes: () => Panes | Promise<Panes>,
    call: DelegateCall,
  ): Promise<undefined> {
    await this.previews.show(call, async (id, signal) => {
      if ((await this.link.connect()) === undefined) return false
      // Read only now: the previous call may have written the same file.
      const shown = await panes()
      if (shown === undefined) return false
      return (
        (await this.link.execute(showPreview, [id, visibleText(path, { singleLine: true }), shown], {
          signal,
        })) !== undefined
      )
    })
  }

  private async reload(path: string, { signal }: DelegateCall): Promise<undefined> {
    const isReloaded = await this.link.execute(reloadBuffers, [path], { signal })
    if (isReloaded !== false) return
    throw new Error(
      `${path} was not reloaded: Neovim holds unsaved changes of it. There, :e! takes what is on disk and :w! keeps the changes.`,
    )
  }

  private async expectSaved(path: string, { signal }: DelegateCall): Promise<undefined> {
    const isModified = await this.link.execute(checkUnsaved, [path], { signal })
    if (isModified !== true) return
    throw new Error(
      `${path} has unsaved changes in Neovim. Save them there with :w, or discard them with :e!, and try again.`,
    )
  }
}
