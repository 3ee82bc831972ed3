/**
 * The common part of the tools that fetch a URL.
 *
 *   ValidateUrl ─▶ (approval) ─▶ the fetching handler
 */
import { Type } from "@sinclair/typebox"
import { ValidateUrl } from "../handlers/validate-url.ts"
import type { EffectHandler } from "../model/handler.ts"
import { pipeline } from "../model/pipeline.ts"
import { defineTool } from "../model/tool.ts"

interface UrlToolOptions<Name extends string> {
  readonly name: Name
  readonly label: string
  readonly description: string
  /** Describes the URL in the description of the parameter: `to fetch`, `of the page`. */
  readonly urlIs: string
  /** The output whose bytes `max_length` counts: `text`, `Markdown`. */
  readonly shows: string
  /** The fetching handler; `maxLength` is in bytes. */
  readonly fetch: (request: { readonly url: string; readonly maxLength?: number }) => EffectHandler
}

/** A read-only tool with the parameters `url` and `max_length`, which asks for an approval before it fetches. */
export const makeUrlTool = <const Name extends string>({
  name,
  label,
  description,
  urlIs,
  shows,
  fetch,
}: UrlToolOptions<Name>) =>
  defineTool({
    name,
    label,
    description,
    parameters: Type.Object({
      url: Type.String({ description: `The absolute URL ${urlIs}, http or https.` }),
      max_length: Type.Optional(
        Type.Integer({
          description: `How many bytes of the ${shows} to show at most. Default and most: 50000.`,
          minimum: 1,
        }),
      ),
    }),
    primaryParam: "url",
    cutsOutput: true,
    kind: "fetch",
    annotations: { readOnly: true, destructive: false, idempotent: false, openWorld: true },
    compose: ({ url, max_length }) =>
      pipeline()
        .andThen(ValidateUrl({ url }))
        .awaitApproval()
        .andThen(fetch({ url, ...(max_length !== undefined && { maxLength: max_length }) })),
  })
