/** Wraps a response to call `over` when all of it was sent, or its client has disconnected. */
export const whenOver = (response: Response, over: () => void): Response => {
  const { body } = response
  if (body === null) {
    over()
    return response
  }
  const reader = body.getReader()
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        over()
        controller.close()
      },
      cancel: (reason) => {
        over()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(stream, response)
}
