/** A session of the command in a real pseudo-terminal: its user is also its model. */
import { PseudoTerminal } from "../terminal/pseudo-terminal.ts"
import { type Host, type OpenHost, toolArgs } from "./host.ts"

/** @param cli The built command. */
export const terminal = (cli: { readonly path: string }): Host => ({
  name: "terminal",
  by: {
    approve: "`y`",
    "deny with a reason": "`n`",
    edit: "`e`",
    stream: "live output",
    cancel: "Ctrl-C",
    background: "`&`",
    "preview and resolve": "`/apply`",
    "ask within code": "`y`",
  },
  async open(folder): Promise<OpenHost> {
    const args = [cli.path, ...toolArgs]
    const env = { ...process.env, HOME: folder.path, EDITOR: "", VISUAL: "" }
    const screen = new PseudoTerminal(args, { cwd: folder.path, env, columns: 120, rows: 60 })
    await screen.see(/›$/)
    /** How much stood there before the call: earlier calls have shown the same. */
    let before = 0
    const see = async (pattern: string): Promise<string> => {
      const text = await screen.see(new RegExp(`^[^]{${before}}[^]*?${pattern}`), "everything")
      return text.slice(before)
    }
    /** The block of a call that has ended, or goes on in the background. */
    const endOf = async (name: string): Promise<string> => {
      const block = `\n(?:[✓⊘✗]|⚙ \\[bg\\]) ${name}[^]*›$`
      const text = await see(block)
      return text.slice(text.search(new RegExp(block)))
    }
    return {
      async call({ name, params: { background, ...params } }, { answer, whenShown }) {
        before = screen.everything().lastIndexOf("\n") + 1
        if (name === "resolve") {
          screen.enter(`/apply ${params.reason}`)
          return endOf("resolve")
        }
        screen.enter(`${name} ${JSON.stringify(params)}${background === true ? " &" : ""}`)
        if (name === "publish" || name === "run_code") {
          await see("\\[y]es")
          if (answer === "approve") screen.type("y")
          else if ("reason" in answer) {
            screen.type("n")
            await see("Why not\\?")
            screen.type(answer.reason)
            await see(answer.reason)
            screen.type("\r")
          } else {
            screen.type("e")
            await see("Enter approves")
            screen.control("u")
            screen.type(answer.params.text)
            await see(`› ${answer.params.text}`)
            screen.type("\r")
          }
        }
        if (whenShown !== undefined) {
          await see("uploading")
          if (whenShown === "cancel") screen.control("c")
          else folder.letItEnd()
        }
        return endOf(name)
      },
      [Symbol.asyncDispose]: () => screen[Symbol.asyncDispose](),
    }
  },
})
