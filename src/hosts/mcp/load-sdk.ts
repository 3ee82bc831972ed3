/** The SDK's server, loaded when this host first serves. */
import { loadPeer } from "../load-peer.ts"

/** The SDK's server. */
export const loadServerSdk = (
  load = () => import("@modelcontextprotocol/server"),
): Promise<typeof import("@modelcontextprotocol/server")> =>
  loadPeer("@modelcontextprotocol/server", "2", load)
