/** What is shown while work goes on. The sign does not turn: nobody is told when to draw again. */
import type { Theme } from "../../theme.ts"
import type { Paint } from "./background.ts"
import { DynamicBorder } from "./border.ts"
import { Container, Spacer } from "./containers.ts"
import { isCancel } from "./scrolling.ts"
import { Text } from "./text.ts"

export class Loader extends Text {
  private readonly paintSign: Paint
  private readonly paintMessage: Paint

  constructor(_tui: unknown, paintSign: Paint, paintMessage: Paint, message = "Loading...") {
    super("", 1, 0)
    this.paintSign = paintSign
    this.paintMessage = paintMessage
    this.setMessage(message)
  }

  setMessage(message: string): void {
    this.setText(`${this.paintSign("⋯")} ${this.paintMessage(message)}`)
  }

  start(): void {}

  stop(): void {}
}

/** Escape aborts its signal. */
export class CancellableLoader extends Loader {
  onAbort?: (() => void) | undefined
  readonly #controller = new AbortController()

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get aborted(): boolean {
    return this.signal.aborted
  }

  handleInput(data: string): void {
    if (!isCancel(data) || this.aborted) return
    this.#controller.abort()
    this.onAbort?.()
  }

  dispose(): void {
    this.stop()
  }
}

/** Between two borders. With `cancellable: false`, keys do nothing. */
export class BorderedLoader extends Container {
  private readonly loader: CancellableLoader
  private readonly cancellable: boolean

  constructor(tui: unknown, theme: Theme, message: string, options: { readonly cancellable?: boolean } = {}) {
    super()
    this.cancellable = options.cancellable ?? true
    const border = new DynamicBorder((line) => theme.fg("border", line))
    const muted: Paint = (text) => theme.fg("muted", text)
    this.loader = new CancellableLoader(tui, (sign) => theme.fg("accent", sign), muted, message)
    const hint = this.cancellable ? [new Spacer(1), new Text(muted("escape: cancel"), 1, 0)] : []
    for (const part of [border, this.loader, ...hint, new Spacer(1), border]) this.addChild(part)
  }

  get signal(): AbortSignal {
    return this.loader.signal
  }

  set onAbort(listener: (() => void) | undefined) {
    this.loader.onAbort = listener
  }

  handleInput(data: string): void {
    if (this.cancellable) this.loader.handleInput(data)
  }

  dispose(): void {
    this.loader.dispose()
  }
}
