/** Reads the target of a request exactly as it was sent. */

/** The path of a request's target, without the query. */
export const rawPathOf = (target: string): string => target.split('?', 1)[0] ?? ''

/**
 * True if a path has the only spelling that is served: without empty or dot segments, without encoded slash, backslash
 * or NUL, and with valid UTF-8 behind its percent signs.
 */
export function isPlainPath(path: string): boolean {
  if (!path.startsWith('/') || /\/\/|\\|%(?:2f|5c|00)/i.test(path)) return false
  const text = decoded(path)
  return text !== undefined && !/(?:^|\/)\.\.?(?:\/|$)/.test(text)
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
