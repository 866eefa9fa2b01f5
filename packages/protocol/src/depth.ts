import { limits } from './limits.ts'

/**
 * Whether a parsed value is nested no deeper than 32 levels (D14). Writing a deeper one out again, or comparing it, could
 * overflow the stack, so whatever is kept, compared or quoted is looked at before.
 */
export const isShallow = (v: object): boolean => shallow(v, limits.depth)

function shallow(v: object, left: number): boolean {
  if (left === 0) return false
  if (Array.isArray(v)) {
    for (const entry of v) if (typeof entry === 'object' && entry !== null && !shallow(entry, left - 1)) return false
    return true
  }
  for (const key in v) {
    const entry = (v as Record<string, unknown>)[key]
    if (typeof entry === 'object' && entry !== null && !shallow(entry, left - 1)) return false
  }
  return true
}
