/// <reference types="node" preserve="true" />
export type { AgentLoopOptions, LoopQuestion } from "../agent-loop/agent-loop.ts"
export {
  type MastraOptions,
  type MastraQuestion,
  type MastraSdk,
  mastraTools,
} from "./mastra-tools.ts"
