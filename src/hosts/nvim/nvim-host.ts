/** A Neovim as the editor of an executor: answers every IDE effect. Without a Neovim they succeed with nothing. */
import { applyTextEdits, withUnixEndings } from "../../handlers/text-edits.ts"
import { localFiles } from "../../io/files.ts"
import { messageOf } from "../../pipeline/failure.ts"
import type { BuiltInEffect, EffectOf, Preview, TextEdit } from "../../pipeline/host-effect.ts"
import type { noIde } from "../../pipeline/no-ide.ts"
import { type DelegateCall, toMillis } from "../../pipeline/options.ts"
import type { DurationInput } from "../../pipeline/step.ts"
import { checkUnsaved, openFile, reloadBuffers } from "./buffer-lua.ts"
import { NvimLink } from "./link.ts"
import { PreviewLine } from "./preview-line.ts"
import { closePreview, showPreview } from "./preview-lua.ts"

export interface NvimHostOptions {
  /**
   * The socket, or `host:port`, that Neovim listens on (`nvim --listen`). Default: the first that answers of
   * `/tmp/nvim-<tmux session>.sock`, `$NVIM_LISTEN_ADDRESS` and `$NVIM`.
   */
  readonly socket?: string | undefined
  /** Where the variables are looked up. Default: the process's environment. */
  readonly env?: NodeJS.ProcessEnv
  /** How long Neovim may take to answer. Default 3 seconds. */
  readonly requestTimeout?: DurationInput
  /**
   * How long a call waits while the preview of another is on show. After that it goes on, and its own preview is shown
   * once the other is closed. Default 10 seconds. Keep it below the executor's `delegateTimeout`, which fails the call.
   */
  readonly previewWait?: DurationInput
}

/** Answers an effect with nothing, or fails it. */
export type IdeDelegate = (effect: BuiltInEffect, call: DelegateCall) => Promise<undefined>

type IdeTag = keyof typeof noIde

/** Who is asked by an effect's tag is given no other effect. */
const answering =
  <Tag extends IdeTag>(answer: (effect: EffectOf<Tag>, call: DelegateCall) => Promise<void>): IdeDelegate =>
  async (effect, call) => {
    await answer(effect as EffectOf<Tag>, call)
    return undefined
  }

/** A side of a preview, as it is named in Neovim. */
interface Pane {
  readonly label: "new" | "current" | "proposed"
  readonly lines: ReadonlyArray<string>
}

/** A longer text is not shown: comparing and sending it would stop the editor for seconds. */
const maxPreviewBytes = 4 * 1024 * 1024

/** Node fires a timer of more than about 25 days at once. */
const timerOf = (name: string, value: DurationInput | undefined, fallback: DurationInput): number =>
  Math.min(toMillis(name, value, fallback), 2 ** 31 - 1)

const linesOf = (text: string): ReadonlyArray<string> => {
  const lines = withUnixEndings(text).split("\n")
  if (lines.length > 1 && lines.at(-1) === "") lines.pop()
  return lines
}

/** Undefined where the file is too long to be shown. */
const panesOfEdits = async (
  path: string,
  edits: ReadonlyArray<TextEdit>,
): Promise<ReadonlyArray<Pane> | undefined> => {
  try {
    const size = (await localFiles.stat(path))?.size ?? 0
    if (size > maxPreviewBytes) return undefined
    const text = new TextDecoder().decode(await localFiles.read(path))
    return [
      { label: "current", lines: linesOf(text) },
      { label: "proposed", lines: linesOf(applyTextEdits(text, edits)) },
    ]
  } catch (cause) {
    throw new Error(`Cannot show what would change in ${path}: ${messageOf(cause)}`, { cause })
  }
}

/**
 * Serves one executor. It looks for a Neovim when the first effect comes, and again with each effect while there is
 * none: Neovim may be started, quit and started again at any time.
 *
 * @example
 * await using nvim = new NvimHost()
 * await using executor = new ToolExecutor(registry, { delegates: nvim.delegates })
 */
export class NvimHost implements AsyncDisposable {
  /** For the executor's option of that name. */
  readonly delegates: { readonly [Tag in IdeTag]: IdeDelegate }
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
    this.delegates = {
      IdeOpen: answering<"IdeOpen">((effect, call) => this.open(effect, call)),
      IdeShowPreview: answering<"IdeShowPreview">(({ preview }, call) => this.showNew(preview, call)),
      IdeShowDiffPreview: answering<"IdeShowDiffPreview">(({ path, edits }, call) =>
        this.show(path, () => panesOfEdits(path, edits), call),
      ),
      IdeReloadBuffer: answering<"IdeReloadBuffer">(({ path }, call) => this.reload(path, call)),
      IdeClosePreview: answering<"IdeClosePreview">((_effect, call) => this.previews.close(call)),
      IdeCheckUnsavedEdits: answering<"IdeCheckUnsavedEdits">(({ path }, call) =>
        this.expectSaved(path, call),
      ),
    }
  }

  /**
   * The address of the Neovim that answers; undefined where there is none. Fails where the package `neovim` is not
   * installed. Nobody has to call it: the effects do.
   */
  async connect(): Promise<string | undefined> {
    return (await this.link.connect())?.address
  }

  /** Closes the previews and the connection. Effects that come later succeed with nothing. */
  async close(): Promise<void> {
    // A Neovim that does not answer keeps what it shows; its user can close that.
    await this.previews.closeAll().catch(() => {})
    await this.link.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  private async open({ path, line, column }: EffectOf<"IdeOpen">, { signal }: DelegateCall): Promise<void> {
    await this.link.execute(openFile, [path, line ?? null, column ?? null], { signal })
  }

  private showNew({ path, content }: Preview, call: DelegateCall): Promise<void> {
    const panes = async (): Promise<ReadonlyArray<Pane> | undefined> =>
      content.length > maxPreviewBytes ? undefined : [{ label: "new", lines: linesOf(content) }]
    return this.show(path, panes, call)
  }

  private show(
    path: string,
    panes: () => Promise<ReadonlyArray<Pane> | undefined>,
    call: DelegateCall,
  ): Promise<void> {
    return this.previews.show(call, async (id, signal) => {
      if ((await this.link.connect()) === undefined) return false
      // Read when its turn has come: the call before it may have written the same file.
      const shown = await panes()
      if (shown === undefined) return false
      return (await this.link.execute(showPreview, [id, path, shown], { signal })) !== undefined
    })
  }

  private async reload(path: string, { signal }: DelegateCall): Promise<void> {
    const isReloaded = await this.link.execute(reloadBuffers, [path], { signal })
    if (isReloaded !== false) return
    throw new Error(
      `${path} was not reloaded: Neovim holds unsaved changes of it. There, :e! takes what is on disk and :w! keeps the changes.`,
    )
  }

  private async expectSaved(path: string, { signal }: DelegateCall): Promise<void> {
    const isModified = await this.link.execute(checkUnsaved, [path], { signal })
    if (isModified !== true) return
    throw new Error(
      `${path} has unsaved changes in Neovim. Save them there with :w, or discard them with :e!, and try again.`,
    )
  }
}
