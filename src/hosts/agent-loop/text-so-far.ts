/** What a call has streamed, as cumulative snapshots for whoever reads them, at his pace: what came meanwhile is one. */
import { HeadAndTail, maxOutputBytes } from "../../text/truncation.ts"

/** Past `maxOutputBytes` its middle is left out. */
export class TextSoFar {
  private readonly text = new HeadAndTail(maxOutputBytes)
  private isNew = false
  private wake: () => void = () => {}

  push(text: string): void {
    this.text.push(text)
    this.isNew = true
    this.wake()
  }

  /** The snapshots until the work has settled, however it does. */
  async *until(work: Promise<unknown>): AsyncGenerator<string, void, undefined> {
    let isOver = false
    const over = () => {
      isOver = true
      this.wake()
    }
    work.then(over, over)
    while (true) {
      if (this.isNew) {
        this.isNew = false
        yield this.text.render(maxOutputBytes)
      } else if (isOver) {
        return
      } else {
        await new Promise<void>((resolve) => {
          this.wake = resolve
        })
      }
    }
  }
}
