import { keyOf } from '../key.ts'

/**
 * Checks a path in a manifest. It must be relative, written with `/`, inside the agent's folder, and outside the
 * runtime's own `.svc/` (4, acceptance rules).
 */
export function wrongWithPath(path: string): string | undefined {
  if (path.includes('\\')) return 'must not hold a backslash'
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'must be relative to the folder of the manifest'
  const segments = path.split('/')
  if (segments.includes('..')) return 'must not climb with ".."'
  if (segments.some((s) => s === '' || s === '.')) return 'must be written plainly, without "." or empty segments'
  if (segments.some((s) => /[. ]$/.test(s))) return 'must not hold a segment that ends in a dot or a space'
  return keyOf(segments[0] ?? '') === '.svc' ? 'must not be in .svc' : undefined
}

/** Checks the folder in which the agent's process is started. `.` means the folder of the manifest itself. */
export const wrongWithFolder = (path: string): string | undefined => (path === '.' ? undefined : wrongWithPath(path))

/** Checks a path of the manifest's key `state`. A path that ends with a slash stands for a folder. */
export const wrongWithStatePath = (path: string): string | undefined => wrongWithPath(withoutSlash(path))
export const withoutSlash = (path: string): string => path.replace(/\/$/, '')
