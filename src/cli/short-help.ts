/** The output of `stepline --help`: the first steps, and where to find the rest. It fits a screen of 40 lines and 80 columns. */
export const shortHelp = `Usage: stepline [options] [command | TOOL [ARGS...]]

Runs the tools of AI agents. A call asks before it changes something.

What people do first:
  stepline                       open a session and type tool calls into it
  stepline shell "npm test"      run one call: a tool and its arguments
  stepline --allow 'shell=^ls' shell "ls -l"    let a rule decide
  stepline ui                    call tools and answer questions in a browser
  stepline mcp                   serve the tools to an MCP client

Commands:
  run FILE          run the calls of a file of JSON lines (- for stdin)
  tools             list the tools and their parameters
  plan TOOL [JSON]  show what a call would do, without running it
  undo [CALL]       take back what calls in this folder have changed
  inbox             list and answer what the calls of a store wait for
  replay STORE      decide stored calls again, with other rules
  rules import FILE convert permission rules of Claude Code or Codex
  verify-log FILE   check a file that --log has written
  ui, mcp           see above
  serve             serve hosts in other languages: JSON-RPC on stdin and stdout
  acp [FILE]        run as an agent of an editor that speaks ACP
  tour              run a tour of real calls in a checkout of stepline
  help [COMMAND]    show the options of a command; help options: of a session

Options, in front of a command or behind it:
  --cwd DIR                  the folder that the tools work in
  --allow, --deny TOOL=REGEX approve or deny such calls without asking
  --sandbox                  keep commands and file tools inside the folder
  --durable STORE            store the calls, so that they survive a restart
  --ui                       also open a page to watch and answer
  -V, --version              print the version
`
