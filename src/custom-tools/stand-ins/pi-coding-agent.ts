/** `pi-coding-agent`: the parts that tools use. Functions that run an agent, or belong to its screen, throw. */

import { createEventBus } from "../event-channels.ts"
import { getDocsPath, getExamplesPath, getPackageDir, getReadmePath } from "./agent-folder.ts"
import * as codeText from "./code-text.ts"
import { withFileMutationQueue } from "./file-mutation-queue.ts"
import * as frontmatter from "./frontmatter.ts"
import * as messages from "./messages.ts"
import * as sessionContext from "./session-context.ts"
import * as skills from "./skills.ts"
import * as themes from "./themes.ts"
import { createBashTool } from "./tool-factories/bash.ts"
import { createLocalBashOperations } from "./tool-factories/bash-operations.ts"
import { createEditTool } from "./tool-factories/edit.ts"
import { createFindTool } from "./tool-factories/find.ts"
import { createGrepTool } from "./tool-factories/grep.ts"
import { createLsTool } from "./tool-factories/ls.ts"
import { createReadTool } from "./tool-factories/read.ts"
import { createWriteTool } from "./tool-factories/write.ts"
import * as truncation from "./truncation.ts"
import * as components from "./tui/components.ts"
import { Markdown } from "./tui/markdown.ts"
import { defineTool, StringEnum, Type } from "./typebox.ts"
import { createSyntheticSourceInfo } from "./values.ts"

const factories = {
  ...{ createReadTool, createBashTool, createEditTool, createWriteTool },
  ...{ createGrepTool, createFindTool, createLsTool },
}

const definitions = Object.fromEntries(
  Object.entries(factories).map(([name, make]) => [`${name}Definition`, make]),
)

const isOf = (toolName: string, event: { readonly toolName: string }): boolean => event.toolName === toolName

/** `isBashToolResult` and the like: which tool an event is about. */
const resultGuards = Object.fromEntries(
  "Bash Read Edit Write Grep Find Ls PowerShell"
    .split(" ")
    .map((tool) => [`is${tool}ToolResult`, isOf.bind(undefined, tool.toLowerCase())]),
)

const listOf =
  (...make: ReadonlyArray<(cwd: string) => unknown>) =>
  (cwd: string): Array<unknown> =>
    make.map((each) => each(cwd))

export const piCodingAgent: Readonly<Record<string, unknown>> = {
  /** The version of the replaced package. */
  VERSION: "0.73.1",
  ...{ getDocsPath, getExamplesPath, getPackageDir, getReadmePath },
  ...codeText,
  ...frontmatter,
  ...messages,
  ...sessionContext,
  ...skills,
  ...themes,
  isToolCallEventType: isOf,
  ...resultGuards,
  ...truncation,
  ...{ defineTool, createEventBus, withFileMutationQueue, createSyntheticSourceInfo },
  ...{ StringEnum, Type },
  ...components,
  Markdown,
  ...factories,
  ...definitions,
  createLocalBashOperations,
  createCodingTools: listOf(createReadTool, createBashTool, createEditTool, createWriteTool),
  createReadOnlyTools: listOf(createReadTool, createGrepTool, createFindTool, createLsTool),
  getShellConfig: () => ({ shell: "bash", args: ["-c"] }),
}
