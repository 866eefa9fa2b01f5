/** Finds the strings in a source file that people may read: the text of elements, and literals that look like words. */
import { isNode, list, type Node, nameOf, walk } from './tree.ts'

export interface TextFact {
  readonly line: number
  readonly text: string
}

export function textsOf(program: Node, lineAt: (at: number) => number): TextFact[] {
  const found: TextFact[] = []
  const skipped = new Set<unknown>()
  const add = (node: Node, text: string) => {
    const words = text.replace(/\s+/g, ' ').trim()
    if (isForPeople(words)) found.push({ line: lineAt(node.start), text: words })
  }
  walk(program, (node) => {
    for (const hidden of notForPeople(node)) skipped.add(hidden)
    if (skipped.has(node)) return
    if (node.type === 'Literal' && typeof node.value === 'string') add(node, node.value)
    if (node.type === 'TemplateLiteral') add(node, templateText(node))
    if (node.type === 'JSXElement' || node.type === 'JSXFragment') add(node, elementText(node))
  })
  return found
}

/**
 * The parts of a node of the syntax tree whose literals only programs read, such as paths of imports, class names,
 * keys, types, compared values and tagged templates.
 */
function notForPeople(node: Node): unknown[] {
  if (isNode(node.source)) return [node.source]
  if (node.type === 'TSLiteralType') return [node.literal]
  if (node.type === 'TaggedTemplateExpression') return [node.quasi]
  if (node.type === 'JSXAttribute' && isNode(node.name) && machineAttributes.test(String(node.name.name)))
    return nodesIn(node)
  if (node.type === 'BinaryExpression' && /^[!=]==?$/.test(String(node.operator))) return [node.left, node.right]
  if (node.type === 'SwitchCase') return [node.test]
  if (node.type === 'CallExpression' && isNode(node.callee) && machineCalls.test(calleeName(node.callee)))
    return list(node.arguments)
  return node.type === 'Property' && node.computed !== true ? [node.key] : []
}

const machineAttributes =
  /^(className|classNames|style|styles|key|id|name|type|role|to|href|variant|color|size|d|viewBox)$/
const machineCalls =
  /^(useQuery|querySelector|addEventListener|removeEventListener|setAttribute|prepare|exec|sql|startsWith|endsWith|includes|split)$/
const calleeName = (callee: Node): string => nameOf(callee) ?? nameOf(callee.property) ?? ''

function nodesIn(node: Node): Node[] {
  const all: Node[] = []
  walk(node, (one) => all.push(one))
  return all
}

const templateText = (node: Node): string =>
  list(node.quasis)
    .map((part) => (part.value as { cooked?: string } | undefined)?.cooked ?? '')
    .join('{…}')

/**
 * The text of a JSX element. Elements and expressions inside it are replaced by marks, since they are visited
 * separately.
 */
function elementText(node: Node): string {
  const children = list(node.children)
  if (!children.some((child) => child.type === 'JSXText' && /\w/.test(String(child.value)))) return ''
  return children
    .map((child) => {
      if (child.type === 'JSXText') return String(child.value)
      const literal = child.expression
      if (isNode(literal) && literal.type === 'Literal') return String(literal.value)
      return child.type === 'JSXExpressionContainer' ? '{…}' : '<…>'
    })
    .join('')
}

/**
 * True for a literal that people may read: two words, or one word that begins like a sentence. False for SQL, paths and
 * style sheets.
 */
const isForPeople = (text: string): boolean =>
  (/[A-Za-z’']{2,}[,.:;]? [A-Za-z{]/.test(text) || /^[A-Z][a-z]+[.!?:…]?$/.test(text)) &&
  !/^(select|insert|update|delete|with|create|alter|drop|where|from|and|or|order|on conflict|returning|begin|set|pragma|lock|join|left join|values|case)\b[^.]*[=(*,_]/i.test(
    text,
  ) &&
  !/var\(--|\bcalc\(|^[a-z]+-[a-z-]+( [a-z]+-[a-z-]+)*$/.test(text)
