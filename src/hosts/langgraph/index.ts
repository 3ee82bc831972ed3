/// <reference types="node" preserve="true" />
export type { LoopQuestion, LoopResult } from "../agent-loop/agent-loop.ts"
export type { LangChainSdk, LangGraphAction, LangGraphOptions, LangGraphQuestion } from "./langgraph-tools.ts"
export { langGraphTools } from "./langgraph-tools.ts"
