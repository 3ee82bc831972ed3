/** What a handler knows about the server that it is mounted in: its path, and who sends a request. */
import { expectBy, expectFunction, got } from "../../model/got.ts"
import type { NodeListener } from "./node-listener.ts"

/** Options of a handler that is mounted in another server, which must check Host names and origins. */
export interface MountOptions {
  /**
   * Returns who sends a request, as the `by` of the answers. Undefined refuses the request with 401; a Response refuses it
   * with that response. The handler rejects with what it throws. `context`: the second argument of the handler; with `node`,
   * Node's message.
   */
  identify(
    request: Request,
    context: unknown,
  ): string | Response | undefined | Promise<string | Response | undefined>
}

/** A handler that is mounted in another server. */
export interface Mounted extends AsyncDisposable {
  /** Answers a request. `context` is given to `identify`. */
  (request: Request, context?: unknown): Promise<Response>
  /** The handler for `node:http`, Express and Fastify. If a parser has read the body, `body` is used. */
  readonly node: NodeListener
  /** Ends its streams. Calls are not affected. */
  close(): Promise<void>
}

/** Throws a TypeError for invalid options. */
export const expectMount = (options: MountOptions | undefined): void => {
  const identify: unknown = options?.identify
  expectFunction("identify", identify)
  if (identify === undefined)
    throw new TypeError(
      "Expected `identify` to be a function that tells who a request comes from: without it, whoever reaches the server could answer",
    )
}

/** Returns who sends a request, or the refusal. */
export const identified = async (
  { identify }: MountOptions,
  request: Request,
  context: unknown,
): Promise<string | Response> => {
  const by = await identify(request, context)
  if (by instanceof Response) return by
  if (by === undefined || by === null)
    return Response.json({ message: "It is not known who you are: sign in." }, { status: 401 })
  expectBy(by)
  return by
}

/** Returns a base path without its last slash, as it is written in addresses. Throws a TypeError for anything but a path. */
export const toBase = (base: unknown = ""): string => {
  if (typeof base === "string" && /^(?:\/[^?#]*)?$/.test(base))
    return new URL(`http://localhost${base}`).pathname.replace(/\/$/, "")
  throw new TypeError(`Expected \`base\` to be a path such as \`/admin\`, ${got(base)}`)
}
