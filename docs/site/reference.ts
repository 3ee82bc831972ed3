/**
 * The reference as Markdown, from the declarations that tsc has written: a page for each entry of the package, and one for the
 * fields of events and results. `npm run docs:reference` writes them.
 */
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript-5.9"

const checkout = fileURLToPath(new URL("../..", import.meta.url))

const { exports, name: packageName } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8")) as {
  readonly name: string
  readonly exports: Readonly<Record<string, { readonly types?: string }>>
}

const style = {
  formatter: { indentStyle: "space", lineWidth: 100 },
  javascript: { formatter: { semicolons: "asNeeded" } },
}

/** Gives a copy of the declarations in `dist`, with the line breaks that tsc leaves out. */
const withLineBreaks = (dist: string): string => {
  const folder = mkdtempSync(join(tmpdir(), "stepline-reference-"))
  const filter = (path: string) => statSync(path).isDirectory() || path.endsWith(".d.ts")
  cpSync(dist, folder, { recursive: true, filter })
  writeFileSync(join(folder, "biome.json"), JSON.stringify(style))
  const biome = join(checkout, "node_modules/@biomejs/biome/bin/biome")
  execFileSync(process.execPath, [biome, "format", "--write", `--config-path=${folder}`, folder], {
    stdio: "pipe",
  })
  return folder
}

/** A declaration that has a name. `parts` are more than one for a function with several signatures. */
interface Declared {
  readonly doc: string
  readonly parts: ReadonlyArray<ts.Statement>
}

interface Module {
  readonly source: ts.SourceFile
  readonly declared: ReadonlyMap<string, Declared>
  /** Exported name, with the module that it comes from and its name there. */
  readonly exported: ReadonlyMap<string, { readonly from?: string; readonly name: string }>
}

/** The text of a doc comment: its sentences, then its tags as a list. */
const docOf = (node: ts.Node): string => {
  const comment = ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc)
  if (comment === undefined) return ""
  const lines = comment
    .getText()
    .replace(/^\/\*\*|\*\/$/g, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, "").trimEnd())
  return lines
    .join("\n")
    .trim()
    .replace(/\{@link ([^}]+)\}/g, "`$1`")
    .replace(/^@example\s*/gm, "\n")
    .replace(/^@(\w+) /gm, "- $1: ")
    .replace(/^```ts$/gm, "```typescript")
}

const nameOf = (statement: ts.Statement): string | undefined => {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations[0]!.name.getText()
  const named =
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isFunctionDeclaration(statement)
  return named ? statement.name?.text : undefined
}

const readModule = (path: string): Module => {
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true)
  const declared = new Map<string, Declared>()
  const exported = new Map<string, { from?: string; name: string }>()
  for (const statement of source.statements) {
    if (ts.isExportDeclaration(statement)) {
      const from = statement.moduleSpecifier?.getText().slice(1, -1)
      if (statement.exportClause === undefined || !ts.isNamedExports(statement.exportClause)) continue
      for (const { name, propertyName } of statement.exportClause.elements)
        exported.set(name.text, { ...(from && { from }), name: (propertyName ?? name).text })
      continue
    }
    const name = nameOf(statement)
    if (name === undefined) continue
    const { doc, parts } = declared.get(name) ?? { doc: docOf(statement), parts: [] }
    declared.set(name, { doc, parts: [...parts, statement] })
    if (ts.canHaveModifiers(statement) && ts.getModifiers(statement)?.some(isExport))
      exported.set(name, { name })
  }
  return { source, declared, exported }
}

const isExport = ({ kind }: ts.Node): boolean => kind === ts.SyntaxKind.ExportKeyword

const modules = () => {
  const read = new Map<string, Module>()
  const moduleAt = (path: string): Module => {
    const module = read.get(path) ?? readModule(path)
    read.set(path, module)
    return module
  }
  /** The declaration of an exported name, through all modules that pass it on. Undefined for what another package declares. */
  const find = (path: string, name: string): Declared | undefined => {
    const module = moduleAt(path)
    const { from, name: own } = module.exported.get(name) ?? { name }
    if (from === undefined) return module.declared.get(own)
    const next = join(dirname(path), from.replace(/\.[jt]s$/, ".d.ts"))
    return existsSync(next) ? find(next, own) : undefined
  }
  return { moduleAt, find }
}

const codeOf = ({ parts }: Declared): string =>
  parts
    .map((part) =>
      part
        .getText()
        .replace(/^export /, "")
        .replace(/^declare /, "")
        .replace(/^ +(?:private|protected) .*\n/gm, ""),
    )
    .join("\n")

const generated = "<!-- Written by `npm run docs:reference` from the types. -->"

const entryPage = (name: string, names: ReadonlyArray<readonly [string, Declared]>): string => {
  const sections = names.map(
    ([name, declared]) =>
      `## ${name}\n\n${declared.doc && `${declared.doc}\n\n`}\`\`\`typescript\n${codeOf(declared)}\n\`\`\`\n`,
  )
  return [`# API of ${name}\n`, `${generated}\n`, ...sections].join("\n")
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replace(/\s*\n\s*/g, " ")

const table = (members: ReadonlyArray<ts.TypeElement>): string =>
  [
    "| field | type | |",
    "|---|---|---|",
    ...members.map((member) => {
      const name = `${member.name!.getText()}${member.questionToken ? "?" : ""}`
      const type = ts.isPropertySignature(member)
        ? member.type!.getText()
        : member.getText().replace(/^\w+/, "")
      return `| \`${name}\` | \`${cell(type).replace(/^\\\| /, "")}\` | ${cell(docOf(member))} |`
    }),
    "",
  ].join("\n")

/** The fields of an interface, those that it extends first. Of one that is declared again, the last declaration. */
const fieldsOf = (module: Module, name: string): ReadonlyMap<string, ts.TypeElement> => {
  const fields = new Map<string, ts.TypeElement>()
  for (const part of module.declared.get(name)?.parts ?? []) {
    if (!ts.isInterfaceDeclaration(part)) continue
    for (const { types } of part.heritageClauses ?? [])
      for (const { expression } of types)
        for (const [field, member] of fieldsOf(module, expression.getText())) fields.set(field, member)
    for (const member of part.members) fields.set(member.name!.getText(), member)
  }
  return fields
}

const eventOrder = [
  "Started",
  "Delta",
  "AwaitingApproval",
  "GateExpiring",
  "Delegate",
  "Completed",
  "Error",
  "Denied",
  "Cancelled",
  "BackgroundStarted",
  "BackgroundCompleted",
  "ActionPending",
  "ActionResolved",
]

const eventsPage = (module: Module): string => {
  const docOfName = (name: string) => module.declared.get(name)!.doc
  const common = fieldsOf(module, "CallEvent")
  const found = [...module.declared.keys()].filter((name) => /^[A-Z]\w+Event$/.test(name))
  const told = found.filter((name) => fieldsOf(module, name).has("_tag")).map((name) => name.slice(0, -5))
  if (told.sort().join() !== [...eventOrder].sort().join())
    throw new Error(
      `The events are ${told.join(", ")}: name them in \`eventOrder\` of docs/site/reference.ts`,
    )
  const own = (name: string, shared: ReadonlySet<string>) =>
    [...fieldsOf(module, name).values()].filter((member) => !shared.has(member.name!.getText()))
  const ofEvents = eventOrder.map((tag) => {
    const fields = own(`${tag}Event`, new Set([...common.keys(), "_tag"]))
    const lacks = tag.startsWith("Action") ? " It has no `callId` and no `parentId`." : ""
    const rest = fields.length > 0 ? table(fields) : "No further fields.\n"
    return `## ${tag}\n\n${docOfName(`${tag}Event`)}${lacks}\n\n${rest}`
  })
  const ofResults = ["ToolResult", "BoundedResult"].map(
    (name) => `## ${name}\n\n${docOfName(name)}\n\n${table(own(name, new Set()))}`,
  )
  const words = ["ErrorReason", "DeniedBy", "FinalStatus"].map(
    (name) =>
      `## ${name}\n\n${docOfName(name)}\n\n\`\`\`typescript\n${codeOf(module.declared.get(name)!)}\n\`\`\`\n`,
  )
  return [
    "# Fields of events and results\n",
    `${generated}\n`,
    "[Events](../concepts/events.md) explains when each event is emitted and what a host does with it. Every event has `_tag`, its name,",
    "and these fields:\n",
    table([...common.values()]),
    ...ofEvents,
    ...ofResults,
    ...words,
  ].join("\n")
}

/** Gives each page of the reference, by its path in `docs/reference`. `dist` holds the declarations of the built package. */
export const referencePages = (dist: string): ReadonlyMap<string, string> => {
  const folder = withLineBreaks(dist)
  try {
    const { moduleAt, find } = modules()
    const pages = new Map<string, string>()
    const rows: Array<string> = []
    for (const [key, { types }] of Object.entries(exports)) {
      if (types === undefined) continue
      const name = posix.join(packageName, key)
      const path = join(folder, posix.relative("dist", types))
      const names = [...moduleAt(path).exported.keys()].flatMap((each) => {
        const declared = find(path, each)
        return declared === undefined ? [] : ([[each, declared]] as const)
      })
      const file = `${name.replaceAll("/", "-")}.md`
      pages.set(`api/${file}`, entryPage(name, names))
      rows.push(`| [\`${name}\`](${file}) | ${names.length} |`)
    }
    const index = ["# API", "", generated, "", "| import | names |", "|---|--:|", ...rows, ""].join("\n")
    pages.set("api/README.md", index)
    pages.set("fields.md", eventsPage(moduleAt(join(folder, "model/event.d.ts"))))
    return pages
  } finally {
    rmSync(folder, { recursive: true })
  }
}
