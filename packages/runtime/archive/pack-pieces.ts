/**
 * Decides which pieces of the program are packed together. Every start of the program pays for each pack that it opens,
 * and for every byte in that pack.
 */

export interface SizedPiece {
  readonly name: string
  readonly bytes: number
  /** The starts of the program that load this piece. */
  readonly starts: ReadonlySet<string>
}

/** The measured cost of unpacking and compiling, in milliseconds of CPU time: per pack, and per byte. */
const perPack = 0.25
const perByte = 0.045 / 1024

/**
 * Groups the pieces into packs and returns the names of the pieces in each pack. Two packs are merged as long as that
 * saves time, summed over all starts.
 */
export function packPieces(pieces: readonly SizedPiece[]): readonly (readonly string[])[] {
  let packs = alike(pieces)
  for (;;) {
    const best = bestPair(packs)
    if (!best) return packs.map(({ names }) => names)
    packs = packs.flatMap((pack) => (pack === best.a ? [joinPacks(best.a, best.b)] : pack === best.b ? [] : [pack]))
  }
}

type Pack = Omit<SizedPiece, 'name'> & { readonly names: readonly string[] }

/** Makes one pack of all pieces that are loaded by exactly the same starts. */
const alike = (pieces: readonly SizedPiece[]): readonly Pack[] =>
  [...Map.groupBy(pieces, ({ starts }) => [...starts].sort().join('\n')).values()].map((same) => ({
    names: same.map(({ name }) => name),
    bytes: same.reduce((sum, { bytes }) => sum + bytes, 0),
    starts: same[0]?.starts ?? new Set(),
  }))

function bestPair(packs: readonly Pack[]): { a: Pack; b: Pack } | undefined {
  let best: { a: Pack; b: Pack; gain: number } | undefined
  for (const [at, a] of packs.entries()) {
    for (const b of packs.slice(at + 1)) {
      const gain = cost(a.starts.size, a.bytes) + cost(b.starts.size, b.bytes) - cost(either(a, b), a.bytes + b.bytes)
      if (gain > (best?.gain ?? 0)) best = { a, b, gain }
    }
  }
  return best
}

const cost = (starts: number, bytes: number): number => starts * (perPack + bytes * perByte)

/** Returns the number of starts that load at least one of the two packs. */
function either(a: Pack, b: Pack): number {
  let more = 0
  for (const start of b.starts) if (!a.starts.has(start)) more++
  return a.starts.size + more
}

const joinPacks = (a: Pack, b: Pack): Pack => ({
  names: [...a.names, ...b.names],
  bytes: a.bytes + b.bytes,
  starts: new Set([...a.starts, ...b.starts]),
})
