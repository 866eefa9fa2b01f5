/** Reads the target of an HTTP request exactly as the client sent it. */

/** The path of a request's target, without the query. */
export const rawPathOf = (target: string): string => target.split('?', 1)[0] ?? ''

/**
 * True if a path has the only spelling that the service accepts: no empty or dot segments, no encoded slash, backslash
 * or NUL, and valid UTF-8 behind its percent signs.
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
