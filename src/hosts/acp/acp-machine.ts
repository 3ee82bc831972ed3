/** The machine of an ACP session: this one, with the client's terminals and its editor's unsaved text where it has them. */
import { localMachine, type Machine } from "../../io/machine.ts"
import { acpFiles } from "./acp-files.ts"
import { AcpProcesses } from "./acp-processes.ts"
import type { AcpSession } from "./client.ts"

/**
 * What tools run on in a session: commands in the client's terminals where it declares `terminal`, files as its editor has them
 * where it declares `fs.readTextFile`. What the client cannot do, `base` does.
 *
 * @param base Default: this machine. A sandbox is better left alone: what the client does, it does outside of that.
 */
export const acpMachine = (session: AcpSession, base: Machine = localMachine): Machine => {
  const { fs, terminal } = session.capabilities
  return {
    ...base,
    ...(fs?.readTextFile === true && { files: acpFiles(session, base.files) }),
    ...(terminal === true && { processes: new AcpProcesses(session, base.files) }),
  }
}
