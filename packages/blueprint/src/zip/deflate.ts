/**
 * Compresses with deflate (RFC 1951) to the same bytes on every machine. The output of zlib differs between versions
 * and processors, but a bundle is identified by its checksum. The code writes one block with the fixed codes and finds
 * matches in the last 32 KB, so the result is somewhat larger than zlib's best.
 */

const windowBytes = 32_768
const maxMatchBytes = 258
/** The maximum number of earlier positions that are tried as the start of a match. */
const maxCandidates = 64
const hashSize = 1 << 15

/** Compresses bytes with deflate. Undefined if the result would not be shorter than the bytes. */
export function deflate(bytes: Uint8Array): Uint8Array | undefined {
  const out = new BitWriter(bytes.length)
  out.put(0b011, 3) // begins a block that is the last one and has fixed codes
  const heads = new Int32Array(hashSize).fill(-windowBytes)
  const before = new Int32Array(windowBytes)
  const remember = (at: number) => {
    if (at + 3 > bytes.length) return
    const hash = hashOf(bytes, at)
    before[at % windowBytes] = heads[hash] ?? -windowBytes
    heads[hash] = at
  }
  let at = 0
  while (at < bytes.length) {
    if (out.isFull) return undefined
    const { length, distance } = longestMatch(bytes, at, heads, before)
    if (length < 3) out.literal(bytes[at] ?? 0)
    else out.match(length, distance)
    for (const next = at + Math.max(1, length); at < next; at++) remember(at)
  }
  return out.end()
}

const hashOf = (b: Uint8Array, at: number): number =>
  Math.imul(((b[at] ?? 0) << 16) | ((b[at + 1] ?? 0) << 8) | (b[at + 2] ?? 0), 0x9e3779b1) >>> 17

const none = { length: 0, distance: 0 }
function longestMatch(bytes: Uint8Array, at: number, heads: Int32Array, before: Int32Array) {
  if (at + 3 > bytes.length) return none
  const maxLength = Math.min(maxMatchBytes, bytes.length - at)
  let best = none
  let earlier = heads[hashOf(bytes, at)] ?? -windowBytes
  for (let n = 0; n < maxCandidates && earlier >= 0 && earlier > at - windowBytes; n++) {
    let length = 0
    while (length < maxLength && bytes[earlier + length] === bytes[at + length]) length++
    if (length > best.length) best = { length, distance: at - earlier }
    if (length === maxLength) break
    earlier = before[earlier % windowBytes] ?? -windowBytes
  }
  return best
}

/**
 * Returns the codes for lengths or distances: the first value of each code, and the number of extra bits that follow
 * it.
 */
const stepsOf = (first: number, codes: number, bitsOf: (code: number) => number): [from: number, bits: number][] => {
  const steps: [number, number][] = []
  let from = first
  for (let code = 0; code < codes; code++) {
    steps.push([from, bitsOf(code)])
    from += 2 ** bitsOf(code)
  }
  return steps
}
const lengths = stepsOf(3, 28, (code) => Math.max(0, (code >> 2) - 1))
lengths.push([maxMatchBytes, 0]) // the maximum length has a code of its own, without extra bits
const distances = stepsOf(1, 30, (code) => Math.max(0, (code >> 1) - 1))
const codeFor = (steps: readonly (readonly [number, number])[], value: number): number =>
  steps.findLastIndex(([from]) => from <= value)
const lengthCodes = Uint8Array.from({ length: maxMatchBytes + 1 }, (_, length) => Math.max(0, codeFor(lengths, length)))

/**
 * Reverses the bits of a code. Codes are written with their highest bit first, and all other numbers with their lowest
 * bit first.
 */
const reversed = (code: number, bits: number): number =>
  Number.parseInt(code.toString(2).padStart(bits, '0').split('').reverse().join(''), 2)
const symbols = Array.from({ length: 288 }, (_, n): [code: number, bits: number] => {
  if (n < 144) return [reversed(0x30 + n, 8), 8]
  if (n < 256) return [reversed(0x190 + n - 144, 9), 9]
  return n < 280 ? [reversed(n - 256, 7), 7] : [reversed(0xc0 + n - 280, 8), 8]
})
const distanceSymbols = Array.from({ length: 30 }, (_, n) => reversed(n, 5))

class BitWriter {
  readonly #out: Uint8Array
  #at = 0
  #held = 0
  #bits = 0

  constructor(maxBytes: number) {
    this.#out = new Uint8Array(maxBytes + 16)
  }
  get isFull(): boolean {
    return this.#at + 16 > this.#out.length
  }
  put(value: number, bits: number): void {
    this.#held |= value << this.#bits
    this.#bits += bits
    for (; this.#bits >= 8; this.#bits -= 8) {
      this.#out[this.#at++] = this.#held & 0xff
      this.#held >>>= 8
    }
  }
  literal(byte: number): void {
    this.#symbol(byte)
  }
  match(length: number, distance: number): void {
    const code = lengthCodes[length] ?? 0
    const [from, bits] = lengths[code] ?? [0, 0]
    this.#symbol(257 + code)
    this.put(length - from, bits)
    const far = codeFor(distances, distance)
    const [start, more] = distances[far] ?? [0, 0]
    this.put(distanceSymbols[far] ?? 0, 5)
    this.put(distance - start, more)
  }
  end(): Uint8Array | undefined {
    this.#symbol(256)
    this.put(0, 7) // fills the last byte with zeros
    return this.#at < this.#out.length - 16 ? this.#out.subarray(0, this.#at) : undefined
  }
  #symbol(symbol: number): void {
    const [code, bits] = symbols[symbol] ?? [0, 0]
    this.put(code, bits)
  }
}
