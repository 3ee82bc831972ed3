/** Runs commands on a machine and keeps what they printed. */
import type { Machine } from "../../src/io/index.ts"

export interface Printed {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export const runOn = async (
  { processes }: Machine,
  cwd: string,
  command: string,
  signal?: AbortSignal,
): Promise<Printed> => {
  const printed = { stdout: "", stderr: "" }
  const { code } = await processes.run({
    command: "bash",
    args: ["-c", command],
    cwd,
    ...(signal && { signal }),
    onOutput: async (stream, bytes) => {
      printed[stream] += Buffer.from(bytes).toString("utf8")
    },
  })
  return { code, ...printed }
}
