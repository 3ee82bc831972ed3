import { shortened } from "../text/truncation.ts"

/** How much of a URL is shown, in bytes: a server or a script may give one of any length. */
const maxShownUrl = 2000

/** A URL as people and models are shown it: its start, where it is long. */
export const shownUrl = (url: URL | string): string => shortened(String(url), maxShownUrl)
