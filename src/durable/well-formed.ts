/** Replaces unpaired surrogates. `String.prototype.toWellFormed` is in Node 20, but not in its types. */
export const toWellFormed = (text: string): string => Buffer.from(text, "utf8").toString("utf8")
