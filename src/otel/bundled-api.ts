/** The API of OpenTelemetry in a bundle, which holds all that its modules name. */
import * as api from "@opentelemetry/api"

/** The API. */
export const otelApi = (): typeof api => api
