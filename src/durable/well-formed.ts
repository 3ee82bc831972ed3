/** A text without half a surrogate pair. `String.prototype.toWellFormed` is in Node 20, and not in its types. */
export const toWellFormed = (text: string): string => Buffer.from(text, "utf8").toString("utf8")
