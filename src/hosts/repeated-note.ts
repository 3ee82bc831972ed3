/** The note for people about a call that reuses an earlier result. */
export const repeatedNote = "Nothing was run: an earlier call with the same key gave this result."
