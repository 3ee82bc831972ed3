/** The effects of a part of a command line besides running a command: only a rule for the whole line can approve them. */
import type {
  ArithmeticWord,
  ParameterExpansionPart,
  Redirect,
  SyntaxNode,
  TestBinaryExpression,
  Word,
} from "unbash"
import { assignsHarmlessly, isOwnName } from "./assignments.ts"
import { shellWord } from "./shell-word.ts"

const isNumber = (text: string): boolean => /^\s*-?\d*\s*$/.test(text)

const isProcessSubstitution = ({ parts }: Word): boolean =>
  parts?.length === 1 && parts[0]!.type === "ProcessSubstitution"

const redirects = (redirect: Redirect): string | undefined => {
  const { operator, target, descriptor } = redirect
  // `{PATH}<file` assigns the descriptor's number.
  if (target === undefined || descriptor?.type === "FileDescriptorVariable") return "a redirection assigns"
  const { text, literal } = shellWord(target)
  if (operator === "<" && isProcessSubstitution(target)) return undefined
  // `/dev/tc${x}p/…` opens a connection.
  if (!literal) return "the target of a redirection is known only when it runs"
  if (operator === "<") return /^\/dev\/(tcp|udp)\//.test(text) ? "a redirection connects" : undefined
  if (operator === "<&" || (operator === ">&" && /^(\d+-?|-)$/.test(text))) return undefined
  return text === "/dev/null" ? undefined : "it writes to a file"
}

/** Bash evaluates arithmetic recursively: `x='a[$(rm y)]'; echo $((x))` runs rm. So only numbers are harmless. */
const evaluates = (node: ArithmeticWord): boolean => !/^\s*\d\w*\s*$/.test(node.value)

const comparesNumbers = ({ operator, left, right }: TestBinaryExpression): boolean =>
  /^-(eq|ne|lt|le|gt|ge)$/.test(operator) && !(isNumber(left.text) && isNumber(right.text))

const expandsDelicately = ({ prefix, index, operation }: ParameterExpansionPart): boolean => {
  if (prefix === "!") return true
  if (index !== undefined && !/^(\d+|[@*])$/.test(index.text)) return true
  switch (operation?.type) {
    case "Default":
      return operation.operator.includes("=")
    case "Slice":
      return !isNumber(operation.offset.text) || !isNumber(operation.length?.text ?? "")
    case "Transform":
    case "Names":
    case "Unknown":
      return true
    default:
      return false
  }
}

const arithmetic = "it evaluates arithmetic with more than numbers"

/** Undefined if the part has no other effect. */
export const delicacy = (node: SyntaxNode): string | undefined => {
  switch (node.type) {
    case "Command": {
      const isExport = node.name?.value === "export"
      const others = isExport ? [] : node.args.filter((word) => word.type === "Assignment")
      return others.length === 0 && assignsHarmlessly(node) ? undefined : "it assigns a variable"
    }
    case "Function":
      return "it defines a function"
    case "ArithmeticCommandExpansion":
      return arithmetic
    case "ArithmeticWord":
      return evaluates(node) ? arithmetic : undefined
    case "For":
    case "Select":
      // Other names may affect what programs do, or which programs are found: `for PATH in .`.
      return isOwnName(node.name.text) ? undefined : "it assigns a variable"
    case "Coproc":
      return node.name === undefined ? undefined : "it assigns a variable"
    case "ParameterExpansion":
      return expandsDelicately(node) ? "an expansion does more than expand a variable" : undefined
    case "Redirect":
      return redirects(node)
    case "TestBinary":
      return comparesNumbers(node) ? arithmetic : undefined
    case "TestUnary":
      return node.operator === "-v" || node.operator === "-R" ? arithmetic : undefined
    default:
      return undefined
  }
}
