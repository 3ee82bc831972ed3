/**
 * What a module's syntax tree tells, and what is put right in it: a plugin of the transform, which alone tells code from
 * comments and texts. It comes after the transform has dropped the imports of mere types, and before it rewrites the rest.
 */

/** As much of Babel's tree as is read here. */
interface Node {
  readonly type: string
  readonly name?: string
  readonly value?: unknown
  readonly loc?: { readonly start: unknown }
  readonly source?: Node | null
  readonly specifiers?: ReadonlyArray<Node>
  readonly importKind?: string | null
  readonly exportKind?: string | null
  readonly imported?: Node
  readonly local?: Node
  readonly meta?: Node
  readonly expression?: Node
  readonly right?: { body?: Node }
}

interface NodePath {
  readonly node: Node
  readonly parent: Node
  replaceWith(node: Node): void
}

interface ProgramPath {
  readonly node: { readonly sourceType: string; readonly body: ReadonlyArray<Node> }
  readonly scope: {
    getBinding(
      name: string,
    ): { readonly referencePaths: ReadonlyArray<{ readonly parent: Node }> } | undefined
  }
  traverse(visitor: Readonly<Record<string, (path: NodePath) => void>>): void
}

/** What `import.meta` is called in the code that comes out. */
export const importMeta = "__importMeta"

export class ModuleSyntax {
  /** Whether the module is written with `import` and `export`. */
  isEsm = false
  /** The specifiers that it imports, in order, with the names that it takes; those of an `import * as` are not known. */
  readonly imports = new Map<string, Set<string>>()
  readonly plugin = () => ({ visitor: { Program: { enter: (program: ProgramPath) => this.read(program) } } })
  private readonly isTypeScript: boolean

  constructor(isTypeScript: boolean) {
    this.isTypeScript = isTypeScript
  }

  private read(program: ProgramPath): void {
    this.isEsm = program.node.sourceType === "module"
    for (const statement of program.node.body) {
      if (isOfTypes(statement)) continue
      const specifier = statement.source?.value
      if (typeof specifier !== "string") continue
      const names = this.imports.get(specifier) ?? new Set()
      this.imports.set(specifier, names)
      for (const name of this.namesOf(statement, program)) names.add(name)
    }
    program.traverse({ MetaProperty: renameImportMeta, Decorator: mendDecorator })
  }

  /** TypeScript's authors pass types on in the same words as values: a name that is only passed on may be either. */
  private namesOf(statement: Node, { scope }: ProgramPath): Array<string> {
    const isPassedOn = ({ local }: Node): boolean =>
      statement.type === "ExportNamedDeclaration" ||
      scope
        .getBinding(local!.name!)
        ?.referencePaths.every(({ parent }) => parent.type === "ExportSpecifier") === true
    return (statement.specifiers ?? [])
      .filter((specifier) => !(this.isTypeScript && isPassedOn(specifier)))
      .map(nameOf)
      .filter((name) => name !== undefined)
  }
}

const isOfTypes = ({ importKind, exportKind, specifiers = [] }: Node): boolean =>
  importKind === "type" ||
  exportKind === "type" ||
  (specifiers.length > 0 && specifiers.every((specifier) => specifier.exportKind === "type"))

/** The name in the other module, which is the `local` one of a re-export. */
const nameOf = ({ type, imported, local }: Node): string | undefined => {
  if (type === "ImportDefaultSpecifier") return "default"
  const name = type === "ImportSpecifier" ? imported : type === "ExportSpecifier" ? local : undefined
  // `import { "any text" as name }`
  return name && (name.name ?? String(name.value))
}

const renameImportMeta = (path: NodePath): void => {
  if (path.node.meta?.name === "import") path.replaceWith({ type: "Identifier", name: importMeta })
}

/**
 * The transform adds `Reflect.metadata?.(…) || ((t) => t)` to the decorators of a class's parts, where a decorator that
 * gives its target puts it in the part's place. Only what the transform adds has no location.
 */
const mendDecorator = ({ node: { loc, expression }, parent }: NodePath): void => {
  if (parent.type === "ClassProperty") {
    throw Object.assign(new SyntaxError("Decorators of properties are not supported"), { loc: loc?.start })
  }
  if (loc === undefined && expression?.type === "LogicalExpression" && expression.right !== undefined) {
    expression.right.body = { type: "Identifier", name: "undefined" }
  }
}
