import { limits } from './limits.ts'

/**
 * True if a parsed JSON value is nested at most 32 levels deep (D14). Writing or comparing a deeper value could
 * overflow the stack.
 */
export const isShallow = (v: object): boolean => isShallowTo(v, limits.depth)

function isShallowTo(v: object, left: number): boolean {
  if (left === 0) return false
  if (Array.isArray(v)) {
    for (const entry of v)
      if (typeof entry === 'object' && entry !== null && !isShallowTo(entry, left - 1)) return false
    return true
  }
  for (const key in v) {
    const entry = (v as Record<string, unknown>)[key]
    if (typeof entry === 'object' && entry !== null && !isShallowTo(entry, left - 1)) return false
  }
  return true
}
