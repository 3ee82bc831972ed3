/** Why a file that somebody named cannot be had, in words instead of a system's code. */

/** What is wrong with a folder that was named as a file, as the end of a sentence that names it. */
export const folderFault = "it is a folder, and a file is wanted"

const faults: Readonly<Record<string, string>> = {
  EACCES: "this user may not open it",
  EPERM: "this user may not open it",
  EISDIR: folderFault,
  ENOTDIR: "a part of its path is a file, and no folder",
  EFTYPE: "it is no regular file",
  EFBIG: "it is larger than such a file may be",
  ENXIO: "it is no regular file",
  EROFS: "its disk takes nothing",
}

const faultOf = (error: unknown, missing: string): string => {
  const { code, message } = error as NodeJS.ErrnoException
  return (code === "ENOENT" ? missing : faults[code ?? ""]) ?? message
}

/** What is wrong with a file that was to be read, as the end of a sentence that names it. */
export const readFault = (error: unknown): string => faultOf(error, "there is no such file")

/** The same of one that was to be made or written. */
export const writeFault = (error: unknown): string =>
  faultOf(error, "its folder is not there, so make that first")
