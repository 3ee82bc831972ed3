import { shortened } from "../text/truncation.ts"

/** How much of a URL is shown, in bytes: a server or a script can return one of any length. */
const maxShownUrl = 2000

/** A URL as shown to people and models, truncated if it is long. */
export const shownUrl = (url: URL | string): string => shortened(String(url), maxShownUrl)
