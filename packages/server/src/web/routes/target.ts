/** Reads the target of an HTTP request exactly as the client sent it. */

/** The path of a request's target, without the query. */
export const rawPathOf = (target: string): string => target.split('?', 1)[0] ?? ''

/**
 * True if a path has the only spelling that the service accepts: no empty or dot segments, no encoded slash or
 * backslash, and valid UTF-8 without control characters behind its percent signs. Any other path is refused.
 */
export function isCanonicalPath(path: string): boolean {
  if (!path.startsWith('/') || /\/\/|\\|%(?:2f|5c)/i.test(path)) return false
  const text = decodePath(path)
  return text !== undefined && !/\p{Cc}/u.test(text) && !/(?:^|\/)\.\.?(?:\/|$)/.test(text)
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
