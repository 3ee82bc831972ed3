/** How handlers touch the machine: processes, what they print, files, the web. */
import { inArea } from "../mutant.ts"

const tests = ["test/io"]
const of = (...files: ReadonlyArray<string>) => [...files.map((file) => `test/io/${file}.test.ts`), ...tests]

export const machineMutants = inArea("io", [
  {
    mistake: "does not find what has left its session",
    file: "src/io/process-table.ts",
    from: "isMember || (await hasMark(entry, mark)) || (await holdsPipe(entry, pipes))",
    to: "isMember || (await holdsPipe(entry, pipes))",
    tests: of("processes"),
  },
  {
    mistake: "does not find the children of what it found",
    file: "src/io/process-table.ts",
    from: "  addDescendants(found, table)\n",
    to: "",
    tests: of("processes"),
  },
  {
    mistake: "signals a group whose number is another's by now",
    file: "src/io/process-table.ts",
    from: "return now === undefined || startTime === undefined || now === startTime",
    to: "return true",
    tests: of("end-processes", "processes"),
  },
  {
    mistake: "leaves running what does not end when it is asked to",
    file: "src/io/end-processes.ts",
    from: 'return stubborn.length === 0 ? [] : signalUntilEnded(run, "SIGKILL", killGrace)',
    to: "return stubborn",
    tests: of("processes"),
  },
  {
    mistake: "reads on though what it read was not taken yet",
    file: "src/io/pipe-reader.ts",
    from: "if (this.onOutput !== undefined) await this.take(",
    to: "if (this.onOutput !== undefined) void this.take(",
    tests: of("processes"),
  },
  {
    mistake: "miscounts what a tail has dropped",
    file: "src/io/tail-buffer.ts",
    from: "Math.max(0, this.length + bytes.length - buffer.length)",
    to: "Math.max(0, bytes.length - buffer.length)",
    tests: of("command-output"),
  },
  {
    mistake: "cuts an error output for which there was room",
    file: "src/io/command-output.ts",
    from: "Math.max(half, this.limit - stdout.totalBytes)",
    to: "half",
    tests: of("command-output"),
  },
  {
    mistake: "leaves the file of an output of which nobody is told",
    file: "src/io/spill-file.ts",
    from: "    if (this.path !== undefined) await rm(this.path, { force: true })\n",
    to: "",
    tests: of("command-output"),
  },
  {
    mistake: "leaves a temporary file beside each that it writes",
    file: "src/io/atomic-write.ts",
    from: "    await rm(folder.at(staged), { force: true })\n",
    to: "",
    tests: of("atomic-write", "files"),
  },
  {
    mistake: "does not keep the mode of a file that it replaces",
    file: "src/io/atomic-write.ts",
    from: "  await file.chmod(Number(before.mode & 0o7777n))\n",
    to: "",
    tests: of("atomic-write", "files"),
  },
  {
    mistake: "removes the lock that another process has taken since",
    file: "src/io/file-lock.ts",
    from: "if (await isHeld(path, own)) await rm(path, { force: true })",
    to: "await rm(path, { force: true })",
    tests: of("file-lock"),
  },
  {
    mistake: "opens what a link leads to that has taken the place of a folder",
    file: "src/io/open-real.ts",
    from: 'return place === path || place === `${path} (deleted)` ? "here" : "unclear"',
    to: 'return place !== "" ? "here" : "unclear"',
    tests: of("files", "atomic-write"),
  },
  {
    mistake: "sends a key along to another origin",
    file: "src/io/http.ts",
    from: "          if (target.origin !== url.origin) sent = withoutSecrets(sent)\n",
    to: "",
    tests: of("http"),
  },
  {
    mistake: "checks the first address of a name alone",
    file: "src/io/address-guard.ts",
    from: "const refused = addresses.find(",
    to: "const refused = addresses.slice(0, 1).find(",
    tests: of("http", "address"),
  },
  {
    mistake: "passes a secret to commands by a pattern",
    file: "src/io/environment.ts",
    from: "this.named.has(name) || (!looksSecret(name) && this.patterns.some((pattern) => pattern.test(name)))",
    to: "this.named.has(name) || this.patterns.some((pattern) => pattern.test(name))",
    tests: of("environment"),
  },
])
