/** Finds the cycles of a graph: the sets of nodes that can all reach each other (Tarjan's algorithm). */
export function cyclesOf(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const found: string[][] = []
  const lowOf = (node: string) => low.get(node) ?? 0
  function visit(node: string): void {
    index.set(node, index.size)
    low.set(node, index.get(node) ?? 0)
    stack.push(node)
    for (const next of edges.get(node) ?? []) {
      if (!index.has(next)) visit(next)
      if (stack.includes(next)) low.set(node, Math.min(lowOf(node), lowOf(next)))
    }
    if (lowOf(node) !== index.get(node)) return
    const circle = stack.splice(stack.indexOf(node))
    if (circle.length > 1) found.push(circle.sort())
  }
  for (const node of edges.keys()) if (!index.has(node)) visit(node)
  return found.sort((a, b) => b.length - a.length)
}
