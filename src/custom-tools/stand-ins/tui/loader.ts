/** Components shown while work is running. The spinner is static, because nothing requests a redraw. */
import type { Theme } from "../../theme.ts"
import { DynamicBorder } from "./border.ts"
import { Container, Spacer } from "./containers.ts"
import { Text } from "./text.ts"

/** Escape and Ctrl-C. */
const isCancel = (data: string): boolean => data === "\x1b" || data === "\x03"

/** A message between two borders. Escape aborts its signal; with `cancellable: false`, keys do nothing. */
export class BorderedLoader extends Container {
  onAbort?: (() => void) | undefined
  private readonly controller = new AbortController()
  private readonly cancellable: boolean

  constructor(
    _tui: unknown,
    theme: Theme,
    message: string,
    options: { readonly cancellable?: boolean } = {},
  ) {
    super()
    this.cancellable = options.cancellable ?? true
    const border = new DynamicBorder((line) => theme.fg("border", line))
    const shown = new Text(`${theme.fg("accent", "⋯")} ${theme.fg("muted", message)}`, 1, 0)
    const hint = this.cancellable ? [new Spacer(1), new Text(theme.fg("muted", "escape: cancel"), 1, 0)] : []
    for (const part of [border, shown, ...hint, new Spacer(1), border]) this.addChild(part)
  }

  get signal(): AbortSignal {
    return this.controller.signal
  }

  handleInput(data: string): void {
    if (!this.cancellable || !isCancel(data) || this.signal.aborted) return
    this.controller.abort()
    this.onAbort?.()
  }

  dispose(): void {}
}
