/// <reference types="node" preserve="true" />
export type { AgentLoopOptions, LoopQuestion } from "../agent-loop/agent-loop.ts"
export type { OpenAiAgentsSdk } from "./openai-tools.ts"
export { openaiTools, openQuestions } from "./openai-tools.ts"
