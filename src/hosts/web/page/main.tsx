/** Starts the page: live if it is served, or with the state that was written into it. */
import { render } from "preact"
import { App } from "./app.tsx"
import { liveSource } from "./live-source.ts"
import { writtenSource } from "./written-source.ts"

const source = writtenSource(document.getElementById("written")) ?? liveSource()
render(<App source={source} />, document.getElementById("page")!)
