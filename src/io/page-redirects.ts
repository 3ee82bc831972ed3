/**
 * Tells where a page's own document is led, and holds it there until that was allowed. What it loads beside itself goes on
 * untold, frames too.
 */
import type { CDPSession } from "playwright-core"
import type { PageRequest } from "./page-reader.ts"

/** Blobs and the like come from the page itself. */
const isOfTheWeb = (url: string): boolean => /^https?:/.test(url)

/** `refused` rejects with what `onRedirect` throws; nobody is asked for what it refused. */
export const holdRedirects = async (
  session: CDPSession,
  url: URL,
  onRedirect: NonNullable<PageRequest["onRedirect"]>,
): Promise<{ readonly refused: Promise<never> }> => {
  const { frameTree } = await session.send("Page.getFrameTree")
  const { id } = frameTree.frame
  const told = new Set<string>()
  let last = url.href
  let refuse: (cause: unknown) => void
  const refused = new Promise<never>((_, reject) => {
    refuse = reject
  })

  const mayBe = (to: string): boolean => {
    try {
      if (!told.has(to)) onRedirect(new URL(last), new URL(to))
      told.add(to)
      last = to
      return true
    } catch (cause) {
      refuse(cause)
      return false
    }
  }

  session.on("Fetch.requestPaused", ({ requestId, frameId, request }) => {
    const isLed = frameId === id && isOfTheWeb(request.url)
    // The first one is what was asked for, as Chromium spells it.
    if (isLed && told.size === 0) told.add(request.url)
    const answer =
      isLed && !mayBe(request.url)
        ? // What is held until its tab is closed is asked for then: a download outlives the page.
          session.send("Fetch.failRequest", { requestId, errorReason: "Aborted" })
        : session.send("Fetch.continueRequest", { requestId })
    answer.catch(() => {
      // Its tab was closed.
    })
  })
  // What was fetched ahead, as speculation rules have it, is asked of nobody when the page goes there.
  session.on("Page.frameNavigated", ({ frame }) => {
    if (frame.id === id && isOfTheWeb(frame.url)) mayBe(frame.url)
  })
  await session.send("Page.enable")
  await session.send("Fetch.enable", {
    patterns: [{ urlPattern: "*", resourceType: "Document", requestStage: "Request" }],
  })
  return { refused }
}
