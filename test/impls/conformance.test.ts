// @module-tag waits
import { readdir, readFile, rm, writeFile } from "node:fs/promises"
import {
  cancelBackgroundTaskTool,
  editFileTool,
  getBackgroundTaskTool,
  listBackgroundTasksTool,
  readBackgroundOutputTool,
  readFileTool,
  shellTool,
  waitBackgroundTaskTool,
  writeFileTool,
} from "../../src/impls/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { conforms, type State } from "./conformance.ts"

const path = useTempFolder()

/** Of the folder that holds, beside nothing else, the file that the tool changes. */
const stateOf = async (untouched: string | undefined, done: string): Promise<State> => {
  const names = await readdir(path())
  if (names.some((name) => name !== "file")) return "half done"
  const content = names.length === 0 ? undefined : await readFile(path("file"), "utf8")
  if (content === done) return "done"
  return content === untouched ? "untouched" : "half done"
}

conforms({
  tool: readFileTool,
  cwd: path,
  prepare: async () => {
    await writeFile(path("file"), "text")
    return { path: "file" }
  },
  badParams: { path: "file", start_line: "first" },
  asks: false,
  effects: [],
  cleanup: [],
})

conforms({
  tool: writeFileTool,
  cwd: path,
  prepare: async () => {
    await rm(path("file"), { force: true })
    return { path: "file", content: "new" }
  },
  badParams: { path: "file" },
  asks: true,
  effects: ["IdeShowPreview", "IdeReloadBuffer", "IdeClosePreview"],
  cleanup: ["IdeClosePreview"],
  state: () => stateOf(undefined, "new"),
})

conforms({
  tool: editFileTool,
  cwd: path,
  prepare: async () => {
    await writeFile(path("file"), "old")
    return { path: "file", edits: [{ old_string: "old", new_string: "new" }] }
  },
  badParams: { path: "file", edits: [] },
  asks: true,
  effects: ["IdeCheckUnsavedEdits", "IdeShowDiffPreview", "IdeReloadBuffer", "IdeClosePreview"],
  cleanup: ["IdeClosePreview"],
  state: () => stateOf("old", "new"),
})

conforms({
  tool: shellTool,
  cwd: path,
  prepare: async () => {
    await rm(path("file"), { force: true })
    return { command: "echo one; echo two >&2; printf new > .file; mv .file file" }
  },
  badParams: { command: "touch file", timeout: 0 },
  asks: true,
  effects: [],
  cleanup: [],
  state: async () => ((await readdir(path())).includes("file") ? "done" : "untouched"),
})

conforms({
  tool: listBackgroundTasksTool,
  cwd: path,
  prepare: () => ({}),
  badParams: "none",
  asks: false,
  effects: [],
  cleanup: [],
})

conforms({
  tool: getBackgroundTaskTool,
  cwd: path,
  prepare: () => ({ task_id: "unknown" }),
  badParams: {},
  asks: false,
  effects: [],
  cleanup: [],
})

conforms({
  tool: cancelBackgroundTaskTool,
  cwd: path,
  prepare: () => ({ task_id: "unknown" }),
  badParams: {},
  asks: false,
  effects: [],
  cleanup: [],
})

conforms({
  tool: readBackgroundOutputTool,
  cwd: path,
  prepare: () => ({ task_id: "unknown" }),
  badParams: {},
  asks: false,
  effects: [],
  cleanup: [],
})

conforms({
  tool: waitBackgroundTaskTool,
  cwd: path,
  prepare: () => ({ task_id: "unknown" }),
  badParams: {},
  asks: false,
  effects: [],
  cleanup: [],
})
