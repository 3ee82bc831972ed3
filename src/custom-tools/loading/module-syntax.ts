/**
 * Reads and corrects a module's syntax tree: a plugin of the transform, because only the parser distinguishes code from
 * comments and strings. It runs after the transform has dropped type-only imports, and before it rewrites the rest.
 */

/** The used part of Babel's tree. */
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

/** The name of `import.meta` in the compiled code. */
export const importMeta = "__importMeta"

export class ModuleSyntax {
  /** Whether the module uses `import` and `export`. */
  isEsm = false
  readonly plugin = () => ({ visitor: { Program: { enter: (program: ProgramPath) => this.read(program) } } })
  private readonly specifiers = new Set<string>()

  /** Its imports, in order. */
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
 * The transform adds `Reflect.metadata?.(…) || ((t) => t)` to the decorators of class members, where a decorator that
 * returns its target would replace the member. Only added nodes have no location.
 */
const mendDecorator = ({ node: { loc, expression }, parent }: NodePath): void => {
  if (parent.type === "ClassProperty") {
    throw Object.assign(new SyntaxError("Decorators of properties are not supported"), { loc: loc?.start })
  }
  if (loc === undefined && expression?.type === "LogicalExpression" && expression.right !== undefined) {
    expression.right.body = { type: "Identifier", name: "undefined" }
  }
}
