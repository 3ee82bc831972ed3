/// <reference types="node" preserve="true" />
/** For adapters of agent frameworks: the calls of one agent, made by the framework's loop and decided here. */
export type { AgentLoopOptions, LoopCall, LoopQuestion, LoopResult, LoopRun } from "./agent-loop.ts"
export { AgentLoop, isAllText, resourceText, toldBlocks } from "./agent-loop.ts"
export type { LoopAnswer } from "./first-answer.ts"
export { TextSoFar } from "./text-so-far.ts"
