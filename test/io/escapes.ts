/** Ways in which a command starts a process that its group does not hold. Each prints the process's id on a line. */

const lasting = `'echo $$; exec sleep 600'`

export const escapes: ReadonlyArray<readonly [way: string, command: string]> = [
  ["setsid in the background", `setsid bash -c ${lasting} &`],
  ["setsid --fork", `setsid --fork bash -c ${lasting}`],
  ["a double fork", `(setsid bash -c ${lasting} &)`],
  ["job control", `set -m; bash -c ${lasting} &`],
  ["nohup and disown", `nohup setsid bash -c ${lasting} & disown`],
  ["an empty environment", `env -i setsid bash -c ${lasting} &`],
  ["an empty environment, and no parent", `env -i setsid --fork bash -c ${lasting}`],
  ["a refusal of SIGTERM", `(trap '' TERM; setsid bash -c ${lasting} &)`],
]
