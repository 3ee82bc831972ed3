/** Replaces unpaired surrogates. Node 20 has `String.prototype.toWellFormed`, but its types do not. */
export const toWellFormed = (text: string): string => Buffer.from(text, "utf8").toString("utf8")
