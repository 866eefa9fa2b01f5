/**
 * Makes faulty reports for tests. It takes a valid report and replaces, removes, doubles or adds parts at places that
 * depend on a seed.
 */

/**
 * Returns a small generator of random numbers (mulberry32). The same seed gives the same numbers, so that a failed test
 * can be repeated.
 */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

const nasty: readonly (() => unknown)[] = [
  () => null,
  () => true,
  () => '',
  () => 0,
  () => -0,
  () => -1,
  () => 0.5,
  () => 1e308,
  () => 2 ** 53,
  () => Number.MAX_SAFE_INTEGER,
  () => [],
  () => ({}),
  () => '\0',
  () => 'a\u0001\u001b[2J\u0085b\ud83d',
  () => '\ud83d\u0001\udc4d',
  () => '👍'.repeat(3000),
  () => 'x'.repeat(2500),
  () => '<script>alert(1)</script>',
  () => 'javascript:alert(1)',
  () => 'https://user@a.example/',
  () => 'https://a.example/\ud83d',
  () => 'https://a.example/%zz',
  () => 'bad',
  () => 'pause',
  () => Array.from({ length: 600 }, (_, i) => ({ id: `r${i % 550}`, title: 't', name: 'n', text: 'x' })),
  () => Array.from({ length: 300 }, (_, i) => [`${i}`, null, { text: 'x', url: 'https://a.example/' }, 7]),
  () => Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`k${i}\u0001`, i - 3])),
  () => JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"toString":"x"}') as unknown,
  () => [[[[[[[[{ title: [] }]]]]]]]],
]

const oddKeys = [
  '__proto__',
  'constructor',
  'toString',
  '',
  'extra',
  'url',
  'level',
  'models',
  '\ud83d',
  'x'.repeat(300),
]

/** Returns a deep copy of `value` with up to `count` faults at random places. */
export function mutate(value: unknown, random: () => number, count: number): unknown {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const root = { value: structuredClone(value) }
  for (let i = 0; i < count; i++) {
    const places = containers(root)
    const place = pick(places)
    const keys = Object.keys(place)
    const key = keys.length > 0 ? pick(keys) : '0'
    const fault = random()
    if (fault < 0.6) define(place, key, pick(nasty)())
    else if (fault < 0.7 && place !== root) delete place[key]
    else if (fault < 0.8 && Array.isArray(place)) place.push(structuredClone(place[0]))
    else if (!Array.isArray(place) && place !== root) define(place, pick(oddKeys), pick(nasty)())
  }
  return root.value
}

/**
 * Returns a copy of the bytes of a body with up to `count` faults: bytes that are changed, removed or doubled, or an
 * end that is cut off.
 */
export function mutatedBytes(body: Uint8Array, random: () => number, count: number): Uint8Array {
  let bytes = Array.from(body)
  for (let i = 0; i < count; i++) {
    const at = Math.floor(random() * bytes.length)
    const fault = random()
    if (fault < 0.5) bytes[at] = Math.floor(random() * 256)
    else if (fault < 0.7) bytes.splice(at, 1 + Math.floor(random() * 8))
    else if (fault < 0.9) bytes.splice(at, 0, ...bytes.slice(at, at + 8))
    else bytes = bytes.slice(0, at)
  }
  return Uint8Array.from(bytes)
}

type Container = Record<string, unknown>

function containers(root: object): Container[] {
  const found: object[] = []
  const walk = (v: unknown) => {
    if (typeof v !== 'object' || v === null || found.length > 400) return
    found.push(v)
    for (const part of Object.values(v)) walk(part)
  }
  walk(root)
  return found as Container[]
}

/** Sets a property of an object. Even `__proto__` becomes an ordinary property, as in `JSON.parse`. */
const define = (place: object, key: string, value: unknown): void => {
  Object.defineProperty(place, key, { value, enumerable: true, configurable: true, writable: true })
}
