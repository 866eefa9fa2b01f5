/** The versions (9) of this protocol, of blueprints (semantic versions, D48) and of the runtime (3.5). */
import { limits } from './limits.ts'

export const protocolVersion = 1

/** The form of a version of the runtime, such as the requested one in `runtime_desired` (3.5). */
export const runtimeVersion = /^[0-9A-Za-z][0-9A-Za-z._-]{0,63}$/

/** The form of a SHA-256 checksum in hex, as the service sends it (2.7, 2.9). */
export const sha256Shape = /^[0-9a-f]{64}$/

const corePattern = '(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)'
const identifierPattern = '(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)'
/** The form of a semantic version (D48). `isVersion` also checks its length. */
export const semanticVersionShape = new RegExp(
  `^${corePattern}(?:-(${identifierPattern}(?:\\.${identifierPattern})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
)

/** True if a text is a version in strict SemVer 2.0.0, in ASCII, with at most 128 characters (D48). */
export const isVersion = (text: string): boolean => text.length <= limits.version && semanticVersionShape.test(text)

/**
 * Compares two valid versions by SemVer precedence. The result is negative if `a` is lower, zero if both rank equally,
 * otherwise positive; build metadata is ignored.
 */
export function compareVersions(a: string, b: string): number {
  const [, ...left] = semanticVersionShape.exec(a) ?? []
  const [, ...right] = semanticVersionShape.exec(b) ?? []
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

/** Compares two whole numbers without leading zeros as texts, since a double cannot represent large numbers exactly. */
const compareDigits = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
