/** The API of OpenTelemetry for a bundle, which contains everything that its modules import. */
import * as api from "@opentelemetry/api"

/** Returns the API. */
export const otelApi = (): typeof api => api
