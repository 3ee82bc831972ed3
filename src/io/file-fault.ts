/** Why a file cannot be used, in words instead of a system's error code. */

/** The problem if the path of a file leads to a folder, as the end of a sentence that names it. */
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

/** Describes why a file cannot be read, as the end of a sentence that names it. */
export const readFault = (error: unknown): string => faultOf(error, "there is no such file")

/** Describes why a file cannot be created or written, likewise. */
export const writeFault = (error: unknown): string =>
  faultOf(error, "its folder is not there, so make that first")
