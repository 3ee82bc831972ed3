// Prints what an older TypeScript says of a project's own files and of the package's, its arguments: the compiler, a tsconfig.json.
// The types of other packages are read, and checked where these use them, but not for their own sake: the newest compiler does that.
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"

const [compiler, config] = process.argv.slice(2)
const { default: ts } = await import(pathToFileURL(compiler).href)

const { fileNames, options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(config, ts.sys.readFile).config,
  ts.sys,
  dirname(config),
)
const program = ts.createProgram(fileNames, options)
const folder = join(dirname(config), "node_modules")
const own = program
  .getSourceFiles()
  .filter(({ fileName }) => fileName.startsWith(join(folder, "stepline/")) || fileNames.includes(fileName))
if (own.length <= fileNames.length) throw new Error("The package has no types")
const found = [
  ...program.getOptionsDiagnostics(),
  ...program.getGlobalDiagnostics(),
  ...program.getSyntacticDiagnostics(),
  ...own.flatMap((file) => program.getSemanticDiagnostics(file)),
]
process.stdout.write(
  ts.formatDiagnostics(found, {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => dirname(config),
    getNewLine: () => "\n",
  }),
)
