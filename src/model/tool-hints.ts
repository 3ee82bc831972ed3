/** Checks the options of a tool that describe how to treat it: values of another type would be misinterpreted. */
import { expectFlag, expectFunction, expectText, got, toCount } from "./got.ts"

const known: ReadonlySet<string> = new Set(["readOnly", "destructive", "idempotent", "openWorld"])

const expectAnnotations = (annotations: unknown, whose: string): void => {
  if (annotations === undefined || annotations === null) return
  if (typeof annotations !== "object" || Array.isArray(annotations))
    throw new TypeError(`Expected \`annotations\`${whose} to be an object, ${got(annotations)}`)
  for (const [name, value] of Object.entries(annotations)) {
    if (known.has(name)) expectFlag(`annotations.${name}`, value, whose)
    // MCP's names of the annotations, which would be ignored.
    else if (name.endsWith("Hint"))
      throw new TypeError(
        `Expected \`annotations\`${whose} to have ${[...known].join(", ")}, got \`${name}\`: write it without \`Hint\``,
      )
  }
}

const flags = ["background", "hidden", "cutsOutput"] as const
const functions = ["idempotencyKey", "paths", "title", "prepareParams", "renderCall", "renderResult"] as const

/** The options that are checked here. */
type Hint =
  | (typeof flags)[number]
  | (typeof functions)[number]
  | "label"
  | "version"
  | "annotations"
  | "maxAttempts"

/** Throws a TypeError that names the option and the tool if a hint has the wrong type. */
export const expectHints = (name: string, hints: { readonly [Name in Hint]?: unknown }): void => {
  const whose = ` of tool \`${name}\``
  expectText("label", hints.label, whose)
  expectText("version", hints.version, whose)
  for (const option of flags) expectFlag(option, hints[option], whose)
  for (const option of functions) expectFunction(option, hints[option], whose)
  toCount("maxAttempts", hints.maxAttempts as number | undefined, 1, whose)
  expectAnnotations(hints.annotations, whose)
}
