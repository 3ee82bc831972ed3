/** The API of OpenTelemetry, loaded by the first tracer: it is an optional peer. Bundlers take `bundled-api.ts`. */
import { createRequire } from "node:module"
import { isMissingModule, notInstalled } from "../io/missing-module.ts"

type OtelApi = typeof import("@opentelemetry/api")

const name = "@opentelemetry/api"

/** CommonJS, which a bundler may make of this, has no `import.meta`. */
const here: string = import.meta.url ?? __filename

let api: OtelApi | undefined

/** The API. Throws an Error that says what to install where the package is missing. */
export const otelApi = (): OtelApi => {
  try {
    api ??= createRequire(here)(name) as OtelApi
  } catch (cause) {
    throw isMissingModule(cause) ? new Error(notInstalled(name, "1"), { cause }) : cause
  }
  return api
}
