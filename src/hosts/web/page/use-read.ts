/** What is told of a card: read when it is shown, and again when it changes, when a connection that was lost is back, and after a failure. */
import { useEffect, useState } from "preact/hooks"
import type { Source } from "./source.ts"

/** Milliseconds until what could not be read is read again. */
const readAgain = 1000

/** `version`: of what is read; undefined where there is nothing to be read. Undefined until it is there. */
export const useRead = <T extends object>(
  source: Source,
  version: string | undefined,
  read: () => Promise<T | undefined>,
): T | undefined => {
  const [told, setTold] = useState<T | undefined>()
  const [failures, setFailures] = useState(0)
  // A connection that was lost takes what was asked with it.
  const isLive = source.connection === "live"
  useEffect(() => {
    if (version === undefined || !isLive) return
    let isOld = false
    let timer: ReturnType<typeof setTimeout> | undefined
    // An older answer may come behind a newer one.
    const tell = (next: T | undefined) => !isOld && next !== undefined && setTold(next)
    const tryAgain = () => {
      if (!isOld) timer = setTimeout(() => setFailures(failures + 1), readAgain)
    }
    read().then(tell, tryAgain)
    return () => {
      isOld = true
      clearTimeout(timer)
    }
  }, [version, isLive, failures])
  return told
}
