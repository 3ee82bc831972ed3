/** Of a call whose result is that of an earlier one, for people. */
export const repeatedNote = "Nothing was run: an earlier call with the same key gave this result."
