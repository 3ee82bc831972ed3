/** What is approved or denied without asking, and which rules are kept. */
import { inArea, inEngine } from "../mutant.ts"

const tests = ["test/policy"]
const of = (file: string) => [`test/policy/${file}.test.ts`, ...tests]

export const ruleMutants = [
  ...inArea("rules", [
    {
      mistake: "has deny rules see a command line only as it is written",
      file: "src/policy/command-rules.ts",
      from: "rules.deny.length > 0 ? line.forms : []",
      to: "rules.deny.length > 0 ? [source] : []",
      tests,
    },
    {
      mistake: "approves by a literal what is known only when the line runs",
      file: "src/policy/command-rules.ts",
      from: "return plain && rule.literal === text",
      to: "return rule.literal === text",
      tests,
    },
    {
      mistake: "approves by a pattern that ends in the middle of a word",
      file: "src/policy/command-rules.ts",
      from: "return match !== undefined && isWordEnd(command, match.end)",
      to: "return match !== undefined",
      tests: of("word-ends"),
    },
    {
      mistake: "has an allow rule hold in every folder",
      file: "src/policy/call-folder.ts",
      from: "if (workingDir === undefined) return isExecutors",
      to: "if (workingDir === undefined) return true",
      tests: of("working-dir"),
    },
    {
      mistake: "does not see that `cd` takes the commands of a line elsewhere",
      file: "src/policy/call-folder.ts",
      from: "isMove(command) ? [folder] : [folder, ...targets]",
      to: "[folder]",
      tests: of("working-dir"),
    },
    {
      mistake: "has deny rules see a path only as it is spelled",
      file: "src/policy/path-rules.ts",
      from: "  if (deniedThere !== undefined) return deniedThere\n",
      to: "",
      tests: of("path"),
    },
    {
      mistake: "does not follow a link before `..` in the middle of a path",
      file: "src/policy/path-forms.ts",
      from: 'if (path.includes(".."))',
      to: 'if (path.startsWith(".."))',
      tests: of("path"),
    },
    {
      mistake: "takes a host with a dot behind it for another one",
      file: "src/policy/url-forms.ts",
      from: 'const named = hostname.replace(/\\.$/, "")',
      to: "const named = hostname",
      tests: of("url-forms"),
    },
    {
      mistake: "lets a call pass whose deny pattern takes too long",
      file: "src/policy/text-rules.ts",
      from: "  if (slow !== undefined) return slow\n",
      to: "",
      tests: of("bounded-pattern"),
    },
    {
      mistake: "looks at the first path of a call alone",
      file: "src/policy/subjects.ts",
      from: 'return paths.map((text) => ({ kind: "path", text }))',
      to: 'return paths.slice(0, 1).map((text) => ({ kind: "path", text }))',
      tests: of("several-paths"),
    },
    {
      mistake: "does not know that `xargs` appends words",
      file: "src/policy/wrappers.ts",
      from: 'return [{ _tag: "Command", words: [...words, unknownWord("{}")] }]',
      to: 'return [{ _tag: "Command", words }]',
      tests: of("command"),
    },
    {
      mistake: "reads what `echo -e` prints as it is written",
      file: "src/policy/fed-input.ts",
      from: "known.length < rest.length || known.some((text) => /^-\\w*[eE]/.test(text))",
      to: "known.length < rest.length",
      tests: of("fed-input"),
    },
    {
      mistake: "approves an option that takes back what a rule counts on, such as `--no-dry-run`",
      file: "src/policy/power-options.ts",
      from: "return [...restraintPowers(command), ...targetPowers(command), ...own, ...ran]",
      to: "return [...targetPowers(command), ...own, ...ran]",
      tests: of("power-options"),
    },
    {
      mistake: "remembers each command of a line with `xargs`",
      file: "src/policy/remembering.ts",
      from: "  if (commands.some(isXargs)) return []\n",
      to: "",
      tests: of("remember-choice"),
    },
    {
      mistake: "keeps the rules that it only tried",
      file: "src/policy/filters.ts",
      from: "      else rules.set(tool.name, before)\n",
      to: "",
      tests: of("remember-choice"),
    },
    {
      mistake: "saves a rule again that the file has",
      file: "src/policy/rule-file.ts",
      from: "!before.has(keyOf(rule)) && ",
      to: "",
      tests: of("rule-file"),
    },
    {
      mistake: "trusts a folder whose rules have changed",
      file: "src/cli/trust/trust-store.ts",
      from: "entry.hash === hash && (rules === undefined || entry.rules?.includes(rules) === true)",
      to: "entry.hash === hash",
      tests: ["test/cli/trust.test.ts", "test/cli"],
    },
    {
      mistake: "keeps a rule for all folders that was made in one",
      file: "src/cli/kept-rules.ts",
      from: "{ workingDir: ruleFolder(folder), ...asPlaced(rule) }",
      to: "asPlaced(rule)",
      tests: ["test/cli/kept-rules.test.ts", "test/cli"],
    },
    {
      mistake: "takes a deny rule of a tool that is not there",
      file: "src/cli/rules.ts",
      from: "  expectTool(name, registry, `--${kind} ${text}`)\n",
      to: "",
      tests: ["test/cli/rules.test.ts", "test/cli"],
    },
  ]),
  ...inEngine("rules", [
    {
      mistake: "takes a filter's promise of a denial for no denial",
      file: "src/pipeline/call/admission.ts",
      from: '      if (typeof verdict === "object") refusePromise(verdict)\n',
      to: "",
      tests: ["test/pipeline/call"],
    },
    {
      mistake: "lets a redirect pass that the rule which approved the call does not cover",
      file: "src/pipeline/call/ruling.ts",
      from: 'return decidedBy?.kind !== "rule" || verdict === "approve" ? "run" : "ask"',
      to: 'return decidedBy?.kind !== "rule" || verdict !== undefined ? "run" : "ask"',
      tests: ["test/pipeline/call"],
    },
  ]),
]
