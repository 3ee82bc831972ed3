/** Copies the parameters for foreign code, so that it cannot change what hosts showed and rules approved. */
export const copyOf = (params: unknown): unknown => {
  try {
    return structuredClone(params)
  } catch {
    return params
  }
}
