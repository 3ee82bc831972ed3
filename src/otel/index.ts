/// <reference types="node" preserve="true" />
/** Spans and a metric of calls for OpenTelemetry. Needs `@opentelemetry/api`. */
export { type OtelTracerOptions, otelTracer, type TracedToolInfo } from "./otel-tracer.ts"
