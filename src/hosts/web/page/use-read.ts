/** Reads a card's details: when it is shown, when it changes, after a lost connection, and after a failure. */
import { useEffect, useState } from "preact/hooks"
import type { Source } from "./source.ts"

/** Milliseconds until a failed read is repeated. */
const readAgain = 1000

/** `version`: of the details; undefined if there is nothing to read. Returns undefined until the details have arrived. */
export const useRead = <T extends object>(
  source: Source,
  version: string | undefined,
  read: () => Promise<T | undefined>,
): T | undefined => {
  const [told, setTold] = useState<T | undefined>()
  const [failures, setFailures] = useState(0)
  // A lost connection also loses the requests in flight.
  const isLive = source.connection === "live"
  useEffect(() => {
    if (version === undefined || !isLive) return
    let isOld = false
    let timer: ReturnType<typeof setTimeout> | undefined
    // An older response can arrive after a newer one.
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
