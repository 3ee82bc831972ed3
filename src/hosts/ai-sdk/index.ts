/// <reference types="node" preserve="true" />
export type { AgentLoopOptions, LoopQuestion, LoopResult } from "../agent-loop/agent-loop.ts"
export type { AiSdk, AiSdkApproval, AiSdkStep, AiSdkTools } from "./ai-sdk-tools.ts"
export { aiSdkTools } from "./ai-sdk-tools.ts"
export type { AiSdkOutput } from "./model-output.ts"
