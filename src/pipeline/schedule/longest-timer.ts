/** Milliseconds; Node fires a longer timer at once. About 25 days. */
export const longestTimer = 2 ** 31 - 1
