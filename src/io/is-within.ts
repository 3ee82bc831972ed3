import { sep } from "node:path"

/** Whether an absolute path is a folder or lies in it, by name only. Handles the root folder. */
export const isWithin = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
