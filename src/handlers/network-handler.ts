/** The frame of handlers that send requests: it supports interruption, has a time limit, and describes every failure. */
import * as Effect from "effect/Effect"
import { FetchError } from "../io/fetch-error.ts"
import { shownUrl } from "../io/shown-url.ts"
import { type EffectHandler, type HandlerContext, handler } from "../model/handler.ts"
import { Step, ToolError } from "../model/step.ts"
import { abortable } from "./abortable.ts"

/** In seconds, from the first name look-up to the last byte. */
const networkTimeout = 30

export interface NetworkWork {
  /** What is requested, for messages. */
  readonly target: string
  readonly run: (signal: AbortSignal) => Promise<Step>
  /** Advice after a time-out, as a sentence. */
  readonly afterTimeout?: string
  /** What was received so far, for a failure midway. */
  readonly soFar?: () => string | undefined
}

const sentences: Readonly<Record<string, string>> = {
  ENOTFOUND: "the name of the host is not known. Check its spelling.",
  EAI_AGAIN: "the name of the host cannot be looked up now. Is there a network?",
  ECONNREFUSED: "the connection was refused. Nothing listens at that host and port.",
  ECONNRESET: "the server broke the connection off.",
  EPIPE: "the server broke the connection off.",
  ETIMEDOUT: "the server does not answer.",
  EINVAL: "the host is not one that can be connected to. Check its spelling.",
  EHOSTUNREACH: "the host cannot be reached.",
  ENETUNREACH: "the network cannot be reached.",
}

/** Describes a network error, as the end of a sentence. */
const reasonOf = (cause: unknown): string => {
  const { code, message } = cause as NodeJS.ErrnoException
  const sentence = sentences[String(code)]
  if (sentence !== undefined) return sentence
  if (/^HPE_/.test(String(code))) return `the answer is not valid HTTP (${message}).`
  // zlib's codes, and those of its brotli decoder.
  if (/^(Z_|ERR__ERROR_)/.test(String(code))) return "the compressed body is damaged."
  return message || String(code)
}

const failure = (target: string, cause: unknown, soFar: string): Step => {
  if (cause instanceof ToolError) return Step.Error(cause.message)
  const message = cause instanceof FetchError ? cause.message : `Cannot fetch ${target}: ${reasonOf(cause)}`
  return Step.Error(message + soFar, { cause })
}

export const networkHandler = (name: string, work: (context: HandlerContext) => NetworkWork): EffectHandler =>
  handler(name, (context) =>
    Effect.suspend(() => {
      const { run, soFar, afterTimeout = "", ...named } = work(context)
      const target = shownUrl(named.target)
      const received = () => {
        const text = soFar?.()
        return text === undefined ? "" : `\n\n${text}`
      }
      return abortable(run).pipe(
        Effect.catch((cause) => Effect.succeed(failure(target, cause, received()))),
        Effect.timeoutOrElse({
          duration: networkTimeout * 1000,
          orElse: () =>
            Effect.succeed(
              Step.Error(`Timed out after ${networkTimeout} s: ${target}${afterTimeout}${received()}`),
            ),
        }),
      )
    }),
  )
