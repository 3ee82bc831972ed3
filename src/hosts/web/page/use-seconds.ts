/** The current second, for running clocks. */
import { useEffect, useState } from "preact/hooks"
import type { Source } from "./source.ts"

/** Changes once a second while `isCounting`. */
export const useSeconds = (source: Source, isCounting: boolean): number => {
  const [, tick] = useState(0)
  useEffect(() => {
    if (!isCounting || source.connection === "written") return
    const timer = setInterval(() => tick((n) => n + 1), 1000)
    return () => clearInterval(timer)
  }, [isCounting, source])
  return source.now()
}
