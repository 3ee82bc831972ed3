/** The API of OpenTelemetry, loaded by the first tracer: it is an optional peer. Bundlers take `bundled-api.ts`. */
import { requireBeside } from "../io/beside.ts"
import { isMissingModule, notInstalled } from "../io/missing-module.ts"

type OtelApi = typeof import("@opentelemetry/api")

const name = "@opentelemetry/api"

let api: OtelApi | undefined

/** Returns the API. Throws an Error that names the package to install if it is missing. */
export const otelApi = (): OtelApi => {
  try {
    api ??= requireBeside(name) as OtelApi
  } catch (cause) {
    throw isMissingModule(cause) ? new Error(notInstalled(name, "1"), { cause }) : cause
  }
  return api
}
