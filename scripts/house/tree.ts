/** The type of a node in the syntax tree that Vite's parser returns (ESTree with TypeScript), and helpers for it. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

export function walk(node: Node, visit: (node: Node) => void): void {
  visit(node)
  for (const key in node) {
    const value = node[key]
    if (isNode(value)) walk(value, visit)
    else if (Array.isArray(value)) for (const one of value) if (isNode(one)) walk(one, visit)
  }
}

export const isNode = (v: unknown): v is Node =>
  typeof v === 'object' && v !== null && 'type' in v && typeof v.type === 'string'
export const list = (v: unknown): Node[] => (Array.isArray(v) ? v.filter(isNode) : [])
export const nameOf = (v: unknown): string | undefined =>
  isNode(v) && v.type === 'Identifier' && typeof v.name === 'string' ? v.name : undefined
