/** Foreign code gets a copy of the parameters: what hosts showed and rules approved stays what runs. */
export const copyOf = (params: unknown): unknown => {
  try {
    return structuredClone(params)
  } catch {
    return params
  }
}
