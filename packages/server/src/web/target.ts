/** Reads the target of a request exactly as it was sent. */

/** The path of a request's target, without the query. */
export const rawPathOf = (target: string): string => target.split('?', 1)[0] ?? ''

/**
 * True when a path names one place in one spelling: no empty or dot segments, no encoded slash, backslash or NUL, and
 * every percent sign starts a byte of UTF-8. Nothing is served at any other address.
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
