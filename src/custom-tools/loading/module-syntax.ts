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
  traverse(visitor: Readonly<Record<string, (path: NodePath) => void>>): void
}

/** What `import.meta` is called in the code that comes out. */
export const importMeta = "__importMeta"

export class ModuleSyntax {
  /** Whether the module is written with `import` and `export`. */
  isEsm = false
  readonly plugin = () => ({ visitor: { Program: { enter: (program: ProgramPath) => this.read(program) } } })
  private readonly specifiers = new Set<string>()

  /** What it imports, in order. */
  get imports(): ReadonlyArray<string> {
    return [...this.specifiers]
  }

  private read(program: ProgramPath): void {
    this.isEsm = program.node.sourceType === "module"
    for (const statement of program.node.body) {
      const specifier = statement.source?.value
      if (typeof specifier === "string" && !isOfTypes(statement)) this.specifiers.add(specifier)
    }
    program.traverse({ MetaProperty: renameImportMeta, Decorator: mendDecorator })
  }
}

const isOfTypes = ({ importKind, exportKind, specifiers = [] }: Node): boolean =>
  importKind === "type" ||
  exportKind === "type" ||
  (specifiers.length > 0 && specifiers.every((specifier) => specifier.exportKind === "type"))

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
