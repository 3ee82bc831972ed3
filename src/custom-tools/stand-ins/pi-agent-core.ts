/** `pi-agent-core`: tools take types of it, which are gone when they run. What runs an agent throws. */
import { unavailable } from "./unavailable.ts"

export const Agent = unavailable("Agent", "an agent of its own", "@mariozechner/pi-agent-core")
