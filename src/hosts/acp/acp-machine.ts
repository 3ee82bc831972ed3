/** The machine of an ACP session: this machine, with the client's terminals and its editor's unsaved text if it offers them. */
import { localMachine, type Machine } from "../../io/machine.ts"
import { acpFiles } from "./acp-files.ts"
import { AcpProcesses } from "./acp-processes.ts"
import type { AcpSession } from "./client.ts"

/**
 * The machine for the tools of a session: commands run in the client's terminals if it declares `terminal`, files are as its editor
 * has them if it declares `fs.readTextFile`. `base` does what the client cannot.
 *
 * @param base Default: this machine. Do not use a sandbox here: the client works outside of it.
 */
export const acpMachine = (session: AcpSession, base: Machine = localMachine): Machine => {
  const { fs, terminal } = session.capabilities
  return {
    ...base,
    ...(fs?.readTextFile === true && { files: acpFiles(session, base.files) }),
    ...(terminal === true && { processes: new AcpProcesses(session, base.files) }),
  }
}
