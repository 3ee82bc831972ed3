/** An error of the protocol, as the answer to a request over HTTP. */
export const rejection = (
  status: number,
  code: number,
  message: string,
  { id = null, data }: { readonly id?: unknown; readonly data?: unknown } = {},
): Response =>
  Response.json(
    { jsonrpc: "2.0", id, error: { code, message, ...(data !== undefined && { data }) } },
    { status },
  )
