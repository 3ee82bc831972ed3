/** The stream of a call as cumulative snapshots. A slow reader gets one snapshot for several chunks. */
import { HeadAndTail, maxOutputBytes } from "../../text/truncation.ts"

/** The middle is left out beyond `maxOutputBytes`. */
export class TextSoFar {
  private readonly text = new HeadAndTail(maxOutputBytes)
  private isNew = false
  private wake: () => void = () => {}

  push(text: string): void {
    this.text.push(text)
    this.isNew = true
    this.wake()
  }

  /** The snapshots until the work has settled. */
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
