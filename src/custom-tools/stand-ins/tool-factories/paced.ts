/** Repeats work on request, at most once per interval in milliseconds. */

export interface Paced {
  /** Runs the work: at once after a pause, else when the interval is over. */
  request(): void
  /** Runs pending work. Call it once, at the end. */
  finish(): void
}

export const paced = (interval: number, work: () => void): Paced => {
  let timer: NodeJS.Timeout | undefined
  let isDue = false
  const run = () => {
    timer = undefined
    if (!isDue) return
    isDue = false
    timer = setTimeout(run, interval)
    work()
  }
  return {
    request: () => {
      isDue = true
      if (timer === undefined) run()
    },
    finish: () => {
      clearTimeout(timer)
      if (isDue) work()
    },
  }
}
