/**
 * Keeps the page right while another program changes its nodes: a translation, a spelling checker, a dark mode. React
 * goes on with the nodes that it made. If one of them was moved or replaced, React would fail, or would write into a
 * text that is no longer shown. So the page remembers which node replaced a text, and changes that node instead.
 */

/** The texts that were replaced, each with the node that replaced it. */
const replaced = new WeakMap<Node, ChildNode>()

/** Patches the methods of `Node` that React uses, so that they work on nodes that another program replaced. */
export function surviveForeignChanges(): void {
  const { removeChild, insertBefore } = Node.prototype
  const nodeValue = Object.getOwnPropertyDescriptor(Node.prototype, 'nodeValue')
  const observer = new MutationObserver(remember)
  observer.observe(document, { childList: true, subtree: true })
  const standInOf = (node: Node): ChildNode | undefined => {
    remember(observer.takeRecords())
    return standIn(node)
  }

  Node.prototype.removeChild = function <T extends Node>(this: Node, child: T): T {
    if (child.parentNode === this) return removeChild.call(this, child) as T
    const there = this.contains(child) ? child : standInOf(child)
    if (!there || !this.contains(there)) return removeChild.call(this, child) as T
    there.parentNode?.removeChild(there)
    return child
  }
  Node.prototype.insertBefore = function <T extends Node>(this: Node, added: T, before: Node | null): T {
    let at = before
    if (at !== null && !this.contains(at)) at = standInOf(at) ?? before
    while (at !== null && at.parentNode !== this && this.contains(at)) at = at.parentNode
    return insertBefore.call(this, added, at) as T
  }
  // React changes a text through `nodeValue` only. A text that was replaced takes the place of its replacement again.
  Object.defineProperty(Node.prototype, 'nodeValue', {
    ...nodeValue,
    set(this: Node, value: string | null) {
      nodeValue?.set?.call(this, value)
      if (this instanceof Text && !this.isConnected) standInOf(this)?.replaceWith(this)
    },
  })
}

/** The milliseconds after a redraw during which a page that fails again is not redrawn. */
const redrawPause = 10_000
let drawnAgainAt = Number.NEGATIVE_INFINITY

/**
 * True if a page that failed with this error may redraw itself. A `DOMException` means that another program changed its
 * nodes; a second one shortly after a redraw is left to the person. `now` is in milliseconds and never goes back.
 */
export function mayDrawAgain(error: unknown, now: number): boolean {
  if (!(error instanceof DOMException) || now - drawnAgainAt < redrawPause) return false
  drawnAgainAt = now
  return true
}

/** The node on the page that replaced a text. Replacements may themselves have been replaced. */
function standIn(node: Node): ChildNode | undefined {
  const seen = new Set<Node>()
  for (let at = replaced.get(node); at && !seen.has(at); at = replaced.get(at)) {
    if (at.isConnected) return at
    seen.add(at)
  }
  return undefined
}

/**
 * Notes which node replaced each removed text: a node that the same change added, or a neighbour of the text that an
 * earlier change in `records` added.
 */
function remember(records: readonly MutationRecord[]): void {
  const added = new Set<Node>()
  for (const { addedNodes, removedNodes, previousSibling, nextSibling } of records) {
    for (const node of removedNodes) {
      const beside = [previousSibling, nextSibling].find((each) => each !== null && added.has(each))
      const at = addedNodes[0] ?? beside
      if (node instanceof Text && at && at !== node) replaced.set(node, at as ChildNode)
    }
    for (const node of addedNodes) added.add(node)
  }
}
