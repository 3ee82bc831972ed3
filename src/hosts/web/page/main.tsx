/** The page: live where it is served, and as it was where it was written down. */
import { render } from "preact"
import { App } from "./app.tsx"
import { liveSource } from "./live-source.ts"
import { writtenSource } from "./written-source.ts"

const source = writtenSource(document.getElementById("written")) ?? liveSource()
render(<App source={source} />, document.getElementById("page")!)
