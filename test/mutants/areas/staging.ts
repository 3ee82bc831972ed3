/** Previews that are applied or discarded, and commands that are staged. */
import { inArea, inEngine } from "../mutant.ts"

const staged = ["test/sandbox/staging"]

export const stagingMutants = [
  ...inEngine("staging", [
    {
      mistake: "resolves the oldest preview first",
      file: "src/pipeline/actions/pending-actions.ts",
      from: "return agent?.stack.findLast((action)",
      to: "return agent?.stack.find((action)",
      tests: ["test/resolve"],
    },
    {
      mistake: "settles the latest action though another was applied",
      file: "src/pipeline/actions/pending-actions.ts",
      from: "agent.stack.splice(agent.stack.lastIndexOf(action), 1)",
      to: "agent.stack.pop()",
      tests: ["test/resolve"],
    },
    {
      mistake: "drops nothing at the shutdown that a handler which was left behind has claimed",
      file: "src/pipeline/actions/pending-actions.ts",
      from: "      agent.claimed.clear()\n",
      to: "",
      tests: ["test/resolve"],
    },
    {
      mistake: "applies the latest preview though the person has decided on another",
      file: "src/pipeline/actions/resolving.ts",
      from: "  if (params.actionId !== undefined && params.actionId !== latest?.actionId) return false\n",
      to: "",
      tests: ["test/resolve"],
    },
    {
      mistake: "gives up one turn early to have a preview resolved",
      file: "src/resolve/tool-choice.ts",
      from: "state.turns + 1 : 0",
      to: "state.turns + 1 : 1",
      tests: ["test/resolve"],
    },
    {
      mistake: "has a preview of a preview come from the call that resolved the first",
      file: "src/pipeline/actions/resolving.ts",
      from: "const source = applied?.source ?? { name, params }",
      to: "const source = { name, params }",
      tests: ["test/resolve"],
    },
  ]),
  ...inArea("staging", [
    {
      mistake: "applies a change over what somebody else wrote while the command ran",
      file: "src/io/staging/apply-changes.ts",
      from: "  if (isStale === true) return false\n",
      to: "",
      tests: staged,
    },
    {
      mistake: "makes what is new before it removes what is in its place",
      file: "src/io/staging/apply-changes.ts",
      from: "if (after === undefined) return 0",
      to: "if (after === undefined) return 3",
      tests: staged,
    },
    {
      mistake: "does not see a change that kept a file's size and time",
      file: "src/io/staging/fingerprint.ts",
      from: "return weakly || now.changed === before.changed",
      to: "return true",
      tests: staged,
    },
    {
      mistake: "writes through to a name that a file has outside of the folder",
      file: "src/sandbox/staging/outside-names.ts",
      from: "(leading.has(change.path) ? withoutInPlace(change) : change)",
      to: "change",
      tests: staged,
    },
    {
      mistake: "ends a cancelled call in the middle of applying",
      file: "src/handlers/abortable.ts",
      from: "return Effect.promise(() => ended)",
      to: "return Effect.void",
      tests: ["test/impls/staged-shell.test.ts"],
    },
    {
      mistake: "leaves what a command staged that then failed",
      file: "src/handlers/staged-shell.ts",
      from: "      yield* drop\n",
      to: "",
      tests: ["test/impls/staged-shell.test.ts", "test/impls"],
    },
  ]),
]
