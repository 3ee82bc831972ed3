/** What a handler is told of the server that it is mounted in: where it stands, and who asks. */
import { expectBy, expectFunction, got } from "../../pipeline/model/got.ts"
import type { NodeListener } from "./node-listener.ts"

/** Options of a handler that is mounted in another server, which answers for its Host names and its origins. */
export interface MountOptions {
  /**
   * Who asks, as the `by` of the answers; undefined refuses the request with 401, and a Response with that. What it throws, the
   * handler rejects with. `context`: what the handler was called with beside the request, with `node` the message of Node.
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
  /** The same for `node:http`, Express and Fastify. A body that a parser has read is taken from `body`. */
  readonly node: NodeListener
  /** Ends its streams. Calls are not affected. */
  close(): Promise<void>
}

/** Throws a TypeError for options that are none. */
export const expectMount = (options: MountOptions | undefined): void => {
  const identify: unknown = options?.identify
  expectFunction("identify", identify)
  if (identify === undefined)
    throw new TypeError(
      "Expected `identify` to be a function that tells who a request comes from: without it, whoever reaches the server could answer",
    )
}

/** Who asks, or the refusal. */
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

/** A base path without its last slash. Throws a TypeError for what is no path. */
export const toBase = (base: unknown = ""): string => {
  if (typeof base === "string" && /^(?:\/[^?#]*)?$/.test(base)) return base.replace(/\/$/, "")
  throw new TypeError(`Expected \`base\` to be a path such as \`/admin\`, ${got(base)}`)
}
