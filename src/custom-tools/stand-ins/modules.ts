/** Our modules under the names of the published ones. */
import { fileLogger } from "../file-logger.ts"
import { getOmpAgentDir } from "./agent-folder.ts"
import * as piAgentCore from "./pi-agent-core.ts"
import * as piAi from "./pi-ai.ts"
import * as piCodingAgent from "./pi-coding-agent.ts"
import * as piTui from "./pi-tui.ts"
import { typebox1Module, typeboxModule } from "./typebox.ts"
import { typeboxCompileModule, typeboxCompilerModule } from "./typebox-compile.ts"
import { typebox1ValueModule, typeboxValueModule } from "./typebox-value.ts"

export type StandIns = Readonly<Record<string, Readonly<Record<string, unknown>>>>

const inScope = (scope: string, codingAgent: StandIns[string]): StandIns =>
  Object.fromEntries([
    [`${scope}/pi-coding-agent`, codingAgent],
    [`${scope}/pi-ai`, piAi],
    [`${scope}/pi-tui`, piTui],
    [`${scope}/pi-agent-core`, piAgentCore],
  ])

const ompCodingAgent = {
  ...piCodingAgent,
  getAgentDir: getOmpAgentDir,
  logger: fileLogger(),
  VERSION: "13.19.0",
}

export const standIns: StandIns = {
  ...inScope("@mariozechner", piCodingAgent),
  ...inScope("@earendil-works", piCodingAgent),
  ...inScope("@oh-my-pi", ompCodingAgent),
  typebox: typebox1Module,
  "typebox/value": typebox1ValueModule,
  "typebox/compile": typeboxCompileModule,
  "@sinclair/typebox": typeboxModule,
  "@sinclair/typebox/value": typeboxValueModule,
  "@sinclair/typebox/compile": typeboxCompileModule,
  "@sinclair/typebox/compiler": typeboxCompilerModule,
}
