import type { CustomToolFactory } from "@oh-my-pi/pi-coding-agent"

/** No call runs yet, so that there is no agent whose preview it could be. */
const factory: CustomToolFactory = (pi) => {
  pi.pushPendingAction({ label: "Too early", apply: async () => ({ content: [] }) })
  return []
}

export default factory
