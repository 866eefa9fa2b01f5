/** Versions (9): of this protocol, of blueprints (semantic, D48) and of the runtime (3.5). */
import { limits } from './limits.ts'

export const protocolVersion = 1

/** 3.5: what `runtime_desired` must look like; it is never used as a path. */
export const runtimeVersion = /^[0-9A-Za-z][0-9A-Za-z._-]{0,63}$/

/** 2.7, 2.9: a SHA-256 in hex as the service writes it. */
export const sha256Shape = /^[0-9a-f]{64}$/

const core = '(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)'
const identifier = '(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)'
/** D48, as a shape; `isVersion` is the whole rule. */
export const semanticVersion = new RegExp(
  `^${core}(?:-(${identifier}(?:\\.${identifier})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
)

/** D48: strict SemVer 2.0.0, ASCII, at most 128 characters. Identity is the exact string. */
export const isVersion = (text: string): boolean => text.length <= limits.version && semanticVersion.test(text)

/** SemVer precedence of two valid versions: negative, zero or positive. Build metadata does not count. */
export function compareVersions(a: string, b: string): number {
  const [, ...left] = semanticVersion.exec(a) ?? []
  const [, ...right] = semanticVersion.exec(b) ?? []
  for (let i = 0; i < 3; i++) {
    const order = compareDigits(left[i] ?? '', right[i] ?? '')
    if (order !== 0) return order
  }
  return comparePre(left[3], right[3])
}

function comparePre(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0
  if (a === undefined) return 1
  if (b === undefined) return -1
  const left = a.split('.')
  const right = b.split('.')
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const order = compareIdentifiers(left[i] as string, right[i] as string)
    if (order !== 0) return order
  }
  return left.length - right.length
}

function compareIdentifiers(a: string, b: string): number {
  const digits = /^\d+$/
  if (digits.test(a) && digits.test(b)) return compareDigits(a, b)
  if (digits.test(a)) return -1
  if (digits.test(b)) return 1
  return a < b ? -1 : a > b ? 1 : 0
}

/** Numbers as texts: they may be longer than a double holds. */
const compareDigits = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
