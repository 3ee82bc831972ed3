/// <reference types="node" preserve="true" />
/** A local page to watch an executor and to answer it. */
export { serveWeb, type Web, type WebOptions } from "./server/serve-web.ts"
export {
  recordTimeline,
  type TimelineOptions,
  type TimelineRecording,
} from "./server/written-timeline.ts"
