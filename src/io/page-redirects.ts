/**
 * Reports where a page's own document is redirected, and pauses it until the redirect is allowed. Subresources and frames
 * are not reported or paused.
 */
import type { CDPSession } from "playwright-core"
import type { PageRequest } from "./page-reader.ts"

/** Blob and similar URLs are created by the page itself. */
const isOfTheWeb = (url: string): boolean => /^https?:/.test(url)

/** `refused` rejects with what `onRedirect` throws; a refused URL is never requested. */
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
    // The first request is for the given URL, as Chromium spells it.
    if (isLed && told.size === 0) told.add(request.url)
    const answer =
      isLed && !mayBe(request.url)
        ? // A request paused until its tab closes would be sent then: a download outlives the page.
          session.send("Fetch.failRequest", { requestId, errorReason: "Aborted" })
        : session.send("Fetch.continueRequest", { requestId })
    answer.catch(() => {
      // The tab was closed.
    })
  })
  // A prefetched document (speculation rules) causes no request when the page navigates to it.
  session.on("Page.frameNavigated", ({ frame }) => {
    if (frame.id === id && isOfTheWeb(frame.url)) mayBe(frame.url)
  })
  await session.send("Page.enable")
  await session.send("Fetch.enable", {
    patterns: [{ urlPattern: "*", resourceType: "Document", requestStage: "Request" }],
  })
  return { refused }
}
