/** Comparisons of a value with many others, in a time that does not grow with their number. */
import { compareVersions, isVersion } from '@svc/protocol'

export type CompareOperator = '<' | '<=' | '>' | '>=' | '='
/** A comparison with a value. */
export interface Comparison<T> {
  operator: CompareOperator
  than: T
}

/** Makes the test whether one of the comparisons holds. The widest `<` and `>` decide for all others of their kind. */
export function matchesAnyOf<T>(all: readonly Comparison<T>[], order: (a: T, b: T) => number): (value: T) => boolean {
  let below: Comparison<T> | undefined
  let above: Comparison<T> | undefined
  for (const one of all) {
    if (one.operator.startsWith('<') && (!below || isWider(order(one.than, below.than), one))) below = one
    if (one.operator.startsWith('>') && (!above || isWider(order(above.than, one.than), one))) above = one
  }
  const equal = all.filter(({ operator }) => operator === '=').map(({ than }) => than)
  equal.sort(order)
  return (value) => {
    if (below) {
      const side = order(value, below.than)
      if (side < 0 || (side === 0 && below.operator === '<=')) return true
    }
    if (above) {
      const side = order(value, above.than)
      if (side > 0 || (side === 0 && above.operator === '>=')) return true
    }
    return isAmong(equal, value, order)
  }
}

const isWider = (side: number, { operator }: Comparison<unknown>): boolean =>
  side > 0 || (side === 0 && operator.length === 2)

function isAmong<T>(sorted: readonly T[], value: T, order: (a: T, b: T) => number): boolean {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >> 1
    const side = order(sorted[middle] as T, value)
    if (side === 0) return true
    if (side < 0) from = middle + 1
    else to = middle
  }
  return false
}

/** A version with a number by which most versions are compared. */
interface RankedVersion {
  text: string
  /**
   * The number of the version. All pre-releases of one release have the same even number, and the release has the next
   * odd one. `NaN` if a part of the version is too large.
   */
  rank: number
}

/** The limit below which three parts of a version fit into one exact number. */
const maxPart = 2 ** 17

/** Gives a version the number by which it is compared. */
export function rankedVersion(text: string): RankedVersion {
  const [, major, minor, patch, pre] = /^(\d+)\.(\d+)\.(\d+)(-?)/.exec(text) ?? []
  const parts = [major, minor, patch].map(Number)
  const core = parts.every((part) => part < maxPart) ? parts.reduce((sum, part) => sum * maxPart + part, 0) : Number.NaN
  return { text, rank: core * 2 + (pre === '' ? 1 : 0) }
}

/** Compares two versions by the precedence of SemVer. */
export function compareRanked(a: RankedVersion, b: RankedVersion): number {
  const order = a.rank - b.rank
  if (order !== 0 && !Number.isNaN(order)) return order
  return order === 0 && a.rank % 2 === 1 ? 0 : compareVersions(a.text, b.text)
}

/** The versions that agents have, read once. */
const read = new Map<string, RankedVersion | undefined>()
const maxRead = 20_000

/** A version that an agent reports, in lower case; undefined if it is no version. */
export function knownVersion(text: string): RankedVersion | undefined {
  if (read.has(text)) return read.get(text)
  if (read.size >= maxRead) read.clear()
  const ranked = isVersion(text) ? rankedVersion(text.toLowerCase()) : undefined
  read.set(text, ranked)
  return ranked
}
