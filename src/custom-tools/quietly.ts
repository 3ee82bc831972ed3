/** Foreign code may answer with a promise where none is awaited: its rejection must not become the process's. */
export const quietly = <T>(answer: T): T => {
  if (answer instanceof Promise) answer.catch(() => undefined)
  return answer
}
