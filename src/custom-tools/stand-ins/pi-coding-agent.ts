/** `pi-coding-agent`: the parts that tools use. Functions that run an agent, or belong to its screen, throw. */
import { getDocsPath, getExamplesPath, getPackageDir, getReadmePath } from "./agent-folder.ts"
import * as codeText from "./code-text.ts"
import { defineTool } from "./define-tool.ts"
import { createEventBus } from "./event-bus.ts"
import { withFileMutationQueue } from "./file-mutation-queue.ts"
import * as frontmatter from "./frontmatter.ts"
import * as keyHints from "./key-hints.ts"
import * as messages from "./messages.ts"
import * as sessionContext from "./session-context.ts"
import * as skills from "./skills.ts"
import { StringEnum } from "./string-enum.ts"
import * as themes from "./themes.ts"
import * as toolEvents from "./tool-events.ts"
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
import { Type } from "./typebox.ts"
import { createSyntheticSourceInfo } from "./values.ts"

const factories = {
  ...{ createReadTool, createBashTool, createEditTool, createWriteTool },
  ...{ createGrepTool, createFindTool, createLsTool },
}

const definitions = Object.fromEntries(
  Object.entries(factories).map(([name, make]) => [`${name}Definition`, make]),
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
  ...keyHints,
  ...messages,
  ...sessionContext,
  ...skills,
  ...themes,
  ...toolEvents,
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
