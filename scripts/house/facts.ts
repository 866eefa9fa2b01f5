/**
 * Collects from the syntax tree of one source file the facts from which figures about the code are computed. The facts
 * are small, so that they can be cached between runs.
 */
import { dirname, join, normalize } from 'node:path'
import { type TextFact, textsOf } from './texts.ts'
import { isNode, list, type Node, nameOf, walk } from './tree.ts'

export interface Facts {
  readonly lines: number
  readonly imports: readonly ImportFact[]
  /** The files that this file exports completely with `export * from`. */
  readonly stars: readonly string[]
  readonly exports: readonly string[]
  /** All functions and methods that have a name. */
  readonly functions: readonly FunctionFact[]
  /** The names of the types that the file declares at its top level. */
  readonly types: readonly string[]
  readonly comments: readonly CommentFact[]
  /** String literals that may be shown to people; see texts.ts. */
  readonly texts: readonly TextFact[]
}
/** A comment in a source file. Consecutive lines that begin with `//` count as one comment. */
export interface CommentFact {
  readonly line: number
  readonly text: string
  readonly doc: boolean
  /** True if nothing precedes the comment in its file. */
  readonly opening: boolean
  /** The length of the longest line that the comment is in, with what precedes and follows it. */
  readonly longest: number
}
export interface ImportFact {
  /** The imported file or package: the path of a file from the root of the repository, or the name of a package. */
  readonly from: string
  /** True if only types are imported, so that nothing is loaded at run time. */
  readonly typeOnly: boolean
  /** The imported names; `*` stands for all of them. */
  readonly names: readonly string[]
}
export interface FunctionFact {
  readonly name: string
  readonly lines: number
  readonly parameters: number
}

/** The result of the parser for one file. */
export interface ParsedFile {
  readonly program: Node
  readonly comments: readonly { type: string; value: string; start: number; end: number }[]
}

export function factsOf(file: string, text: string, { program, comments }: ParsedFile): Facts {
  const { imports, stars } = importsOf(file, program)
  const body = list(program.body)
  return {
    lines: text.split('\n').length - 1,
    imports,
    stars,
    exports: body.flatMap(exportedBy),
    functions: functionsOf(program, text),
    types: body.flatMap((node) => typeName(isNode(node.declaration) ? node.declaration : node)),
    comments: commentsOf(text, comments),
    texts: textsOf(program, lineFinder(text)),
  }
}

function commentsOf(text: string, comments: ParsedFile['comments']): CommentFact[] {
  const lineAt = lineFinder(text)
  const found: (CommentFact & { readonly end: number })[] = []
  for (const { type, value, start, end } of comments) {
    const last = found.at(-1)
    const gap = last === undefined ? '' : text.slice(last.end, start)
    const alone = /(^|\n)[ \t]*$/.test(text.slice(0, start))
    if (last && !last.doc && type === 'Line' && alone && /^\n[ \t]*$/.test(gap))
      found.splice(-1, 1, {
        ...last,
        ...{ text: `${last.text}\n${value}`, longest: Math.max(last.longest, longestOf(text, start, end)), end },
      })
    else {
      const doc = type === 'Block' && value.startsWith('*')
      const opening = /^(#!.*\n)?\s*$/.test(text.slice(0, start))
      found.push({ line: lineAt(start), text: value, doc, opening, longest: longestOf(text, start, end), end })
    }
  }
  return found.map(({ end: _, ...comment }) => comment)
}

/** The length of the longest of the lines from one position of a text to another. */
function longestOf(text: string, start: number, end: number): number {
  const after = text.indexOf('\n', end)
  const lines = text.slice(text.lastIndexOf('\n', start - 1) + 1, after < 0 ? undefined : after).split('\n')
  return Math.max(...lines.map(({ length }) => length))
}

function lineFinder(text: string): (at: number) => number {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (at) => {
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= at) low = middle
      else high = middle
    }
    return low + 1
  }
}

function importsOf(file: string, program: Node): Pick<Facts, 'imports' | 'stars'> {
  const imports: ImportFact[] = []
  const stars: string[] = []
  const resolved = (from: string) => (from.startsWith('.') ? normalize(join(dirname(file), from)) : from)
  /** The names that are taken from an import in an expression, by the node of the import. */
  const taken = new Map<unknown, readonly string[]>()
  walk(program, (node) => {
    const { source } = node
    for (const [from, names] of takenFrom(node)) taken.set(from, names)
    if (!isNode(source) || typeof source.value !== 'string') return
    const from = resolved(source.value)
    if (node.type === 'ExportAllDeclaration') stars.push(from)
    const specifiers = list(node.specifiers)
    const loads = (one: Node) => one.importKind !== 'type' && one.exportKind !== 'type'
    const typeOnly = !loads(node) || node.type === 'TSImportType' || (specifiers.length > 0 && !specifiers.some(loads))
    const names = specifiers.map((one) => nameOf(one.imported) ?? nameOf(one.local) ?? '*')
    const all = specifiers.length === 0 || specifiers.some(({ type }) => type === 'ImportNamespaceSpecifier')
    const standard = specifiers.some(({ type }) => type === 'ImportDefaultSpecifier')
    const given = all ? (taken.get(node) ?? ['*']) : [...names, ...(standard ? ['default'] : [])]
    imports.push({ from, typeOnly, names: given })
  })
  return { imports, stars }
}

/** The names that `const { a, b } = await import(…)` and `(await import(…)).a` take, and the node of the import. */
function takenFrom({ type, id, init, object, property, computed }: Node): [unknown, string[]][] {
  const value = type === 'VariableDeclarator' ? init : type === 'MemberExpression' ? object : undefined
  const from = isNode(value) && value.type === 'ParenthesizedExpression' ? value.expression : value
  if (!isNode(from) || from.type !== 'AwaitExpression') return []
  const keyOf = (one: Node) => (one.computed ? undefined : nameOf(one.key))
  const names = isNode(id) ? list(id.properties).map(keyOf) : [computed ? undefined : nameOf(property)]
  const known = names.filter((name) => name !== undefined)
  return known.length > 0 && known.length === names.length ? [[from.argument, known]] : []
}

function exportedBy(node: Node): string[] {
  if (node.type === 'ExportDefaultDeclaration') return ['default']
  if (node.type !== 'ExportNamedDeclaration') return []
  const { declaration } = node
  if (!isNode(declaration)) return list(node.specifiers).flatMap((one) => nameOf(one.exported) ?? [])
  const declared = nameOf(declaration.id)
  return declared !== undefined
    ? [declared]
    : list(declaration.declarations).flatMap((one) => (isNode(one.id) ? boundBy(one.id) : []))
}

/** The names that a declaration introduces: one name, or all names in a destructuring pattern. */
function boundBy(id: Node): string[] {
  const name = nameOf(id)
  if (name !== undefined) return [name]
  return [...list(id.properties), ...list(id.elements)].flatMap((one) => boundBy(isNode(one.value) ? one.value : one))
}

const typeName = (node: Node): string[] =>
  node.type === 'TSInterfaceDeclaration' || node.type === 'TSTypeAliasDeclaration' ? [nameOf(node.id) ?? ''] : []

const isFunction = ({ type }: Node): boolean =>
  type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression'

/**
 * Measures the lines and parameters of functions. The lines are counted from where the function gets its name, such as
 * `const f = …` or `f: …`, to its closing brace.
 */
function functionsOf(program: Node, text: string): FunctionFact[] {
  const found: FunctionFact[] = []
  const add = (name: string | undefined, from: Node, body: Node) => {
    if (name === undefined || !isNode(body.body)) return
    const lines = text.slice(from.start, body.end).split('\n').length
    const parameters = list(body.params).filter((one) => nameOf(one) !== 'this').length
    found.push({ name, lines, parameters })
  }
  walk(program, (node) => {
    if (node.type === 'FunctionDeclaration') add(nameOf(node.id), node, node)
    const { init, value } = node
    if (node.type === 'VariableDeclarator' && isNode(init) && isFunction(init)) add(nameOf(node.id), node, init)
    if (isNode(value) && isFunction(value)) add(nameOf(node.key), node, value)
  })
  return found
}
