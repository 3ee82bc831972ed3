/** A session of the command in a real pseudo-terminal: its user is also its model. */
import { PseudoTerminal } from "../terminal/pseudo-terminal.ts"
import { type Host, type OpenHost, toolFile } from "./host.ts"

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
  },
  async open(folder): Promise<OpenHost> {
    const args = [cli.path, "--no-discovery", "--tool-path", toolFile]
    const env = { ...process.env, HOME: folder.path, EDITOR: "", VISUAL: "" }
    const screen = new PseudoTerminal(args, { cwd: folder.path, env, columns: 120, rows: 60 })
    await screen.see(/›$/)
    /** The block of a call that has ended, or goes on in the background. */
    const endOf = async (name: string): Promise<string> => {
      const block = new RegExp(`^(?:[✓⊘✗]|⚙ \\[bg\\]) ${name}[^]*›$`, "m")
      const [text] = block.exec(await screen.see(block))!
      return text
    }
    return {
      async call({ name, params: { background, ...params } }, { answer, whenShown }) {
        if (name === "resolve") {
          screen.enter(`/apply ${params.reason}`)
          return endOf("resolve")
        }
        screen.enter(`${name} ${JSON.stringify(params)}${background === true ? " &" : ""}`)
        if (name === "publish") {
          await screen.see("[y]es")
          if (answer === "approve") screen.type("y")
          else if ("reason" in answer) {
            screen.type("n")
            await screen.see("Why not?")
            screen.type(answer.reason)
            await screen.see(answer.reason)
            screen.type("\r")
          } else {
            screen.type("e")
            await screen.see("Enter approves")
            screen.control("u")
            screen.type(answer.params.text)
            await screen.see(`› ${answer.params.text}`)
            screen.type("\r")
          }
        }
        if (whenShown !== undefined) {
          await screen.see("uploading")
          if (whenShown === "cancel") screen.control("c")
          else folder.letItEnd()
        }
        return endOf(name)
      },
      [Symbol.asyncDispose]: () => screen[Symbol.asyncDispose](),
    }
  },
})
