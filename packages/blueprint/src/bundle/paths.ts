/**
 * The rules for a single path in a bundle (4, acceptance rules; D49). The same rules hold for entries of an archive and
 * for files of a folder.
 */
import { pathKey } from '../key.ts'

/** A path that a bundle or a folder contains. */
export interface NamedPath {
  /** The path, written with `/`. The path of a folder ends with a slash. */
  readonly path: string
}

type PathRule = readonly [says: string, holds: (path: string, segments: readonly string[]) => boolean]

const maxBytes = 1024
const tooLong = `is longer than ${maxBytes} bytes`
const isTooLong = (path: string): boolean => Buffer.byteLength(path) > maxBytes

/** The conditions under which a path is refused, each with the words for a finding. */
export const pathRules: readonly PathRule[] = [
  ['has an entry without a name', (path) => path === ''],
  ['holds a NUL', (path) => path.includes('\0')],
  ['holds a backslash', (path) => path.includes('\\')],
  ['is an absolute path', (path) => path.startsWith('/')],
  ['begins with a drive letter', (path) => /^[A-Za-z]:/.test(path)],
  ['climbs with ".."', (_, segments) => segments.includes('..')],
  ['holds "." or an empty segment', (path, segments) => segments.some(notPlain(path))],
  ["is in .svc, which is the runtime's own", (_, segments) => pathKey(segments[0] ?? '') === '.svc'],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is its purpose
  ['holds a control character', (path) => /[\u0001-\u001f\u007f-\u009f\u2028\u2029]/.test(path)],
  [
    'holds a character that reverses the direction of text',
    (path) => /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(path),
  ],
  ['is not in Unicode form NFC', (path) => path.normalize('NFC') !== path],
  [
    'holds a segment that ends in a dot or a space',
    (_, segments) => segments.some((s) => /[. ]$/.test(s) && s !== '.' && s !== '..'),
  ],
  ['holds a segment of more than 255 bytes', (_, segments) => segments.some((s) => Buffer.byteLength(s) > 255)],
  [tooLong, isTooLong],
  ['is nested more than 64 folders deep', (_, segments) => segments.length > 65],
]

const notPlain = (path: string) => (segment: string) =>
  path !== '' && !path.startsWith('/') && (segment === '' || segment === '.')

/**
 * Returns the words of the rules that a path breaks. If the path is too long, no other rule is checked: a thousand
 * paths of 64 KB would take seconds.
 */
export function wrongWithPath(path: string): string[] {
  if (isTooLong(path)) return [tooLong]
  const segments = segmentsOf(path)
  return pathRules.filter(([, holds]) => holds(path, segments)).map(([says]) => says)
}

/** The segments of a path, without the slash at the end of a folder. */
const segmentsOf = (path: string): string[] => path.replace(/\/$/, '').split('/')

/** The folders above a path: `a` and `a/b` for `a/b/c`. */
export function foldersAbove(path: string): string[] {
  const segments = segmentsOf(path)
  return segments.slice(1).map((_, i) => segments.slice(0, i + 1).join('/'))
}
