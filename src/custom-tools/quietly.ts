/** Handles the rejection of a promise that foreign code returns where none is awaited, so that it does not end the process. */
export const quietly = <T>(answer: T): T => {
  if (answer instanceof Promise) answer.catch(() => undefined)
  return answer
}
