/** What is told of a question: read once, and again where a connection was lost before it came. */
import { useEffect, useState } from "preact/hooks"
import type { QuestionDetail } from "../state/detail.ts"
import type { Source } from "./source.ts"

/** Undefined until it is there. */
export const useQuestion = (source: Source, id: string): QuestionDetail | undefined => {
  const [detail, setDetail] = useState<QuestionDetail | undefined>()
  // A connection that was lost takes what was asked with it.
  const isMissing = detail === undefined && source.connection === "live"
  useEffect(() => {
    if (!isMissing) return
    let isGone = false
    void source.questionDetail(id).then((read) => !isGone && setDetail(read))
    return () => {
      isGone = true
    }
  }, [id, source, isMissing])
  return detail
}
