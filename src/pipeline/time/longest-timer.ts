/** The longest time-out in milliseconds, about 25 days: Node fires a longer timer at once. */
export const longestTimer = 2 ** 31 - 1
