/// <reference types="node" preserve="true" />
/** A local page to watch an executor and to answer it. */
export type { Mounted, MountOptions } from "../http/mount.ts"
export type { NodeListener } from "../http/node-listener.ts"
export type { PageOptions } from "./server/page-server.ts"
export { serveWeb, type Web, type WebOptions } from "./server/serve-web.ts"
export { type WebHandler, type WebHandlerOptions, webHandler } from "./server/web-handler.ts"
export {
  recordTimeline,
  type TimelineOptions,
  type TimelineRecording,
} from "./server/written-timeline.ts"
