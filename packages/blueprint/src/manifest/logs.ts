/**
 * Finds the log that a name means among the logs of a manifest. A declared log stands for many logs if its name and its
 * path each have one segment `*`, such as `job/*`. The star stands for the same word in both. Pure.
 */
import type { DeclaredLog } from './shape.ts'

type Log = Pick<DeclaredLog, 'name' | 'path' | 'output'>

/** A log that stands for many logs. Its name and its path are split at the star. */
interface LogPattern {
  readonly name: TextAroundStar
  readonly path: TextAroundStar
}
type TextAroundStar = readonly [before: string, behind: string]

const logWordPattern = /^[a-z0-9][a-z0-9._-]{0,62}$/

/** True if a declared log stands for many logs. The log of the output never does, since the output goes to one file. */
export const isLogPattern = (log: Log): boolean => patternOf(log) !== undefined

/**
 * Returns the log with this name. If a log that stands for many logs fits the name, `name` and `path` of the result are
 * those of the one log that is meant. Undefined if no log fits.
 */
export function logNamed<L extends Log>(logs: readonly L[], name: string): L | undefined {
  const plain = logs.find((log) => log.name === name && !isLogPattern(log))
  if (plain) return plain
  for (const log of logs) {
    const pattern = patternOf(log)
    const found = pattern && wordIn(pattern.name, name)
    if (pattern && found !== undefined) return { ...log, name, path: fillStar(pattern.path, found) }
  }
  return undefined
}

/**
 * For a log that stands for many logs, returns the folder that has one entry for each of them, and a function from an
 * entry to its log. Returns undefined for any other log.
 */
export function logsBelow<L extends Log>(
  log: L,
): { folder: string; logOf: (entry: string) => L | undefined } | undefined {
  const pattern = patternOf(log)
  if (!pattern) return undefined
  return {
    folder: pattern.path[0].replace(/\/$/, '') || '.',
    logOf: (entry) =>
      logWordPattern.test(entry)
        ? { ...log, name: fillStar(pattern.name, entry), path: fillStar(pattern.path, entry) }
        : undefined,
  }
}

function patternOf({ name, path, output }: Log): LogPattern | undefined {
  if (output || !name.includes('*')) return undefined
  const [inName, inPath] = [aroundStar(name), aroundStar(path)]
  return inName && inPath && { name: inName, path: inPath }
}

/** Splits a text at its only segment `*`. Returns undefined if there is no such segment, or more than one. */
function aroundStar(text: string): TextAroundStar | undefined {
  const segments = text.split('/')
  const at = segments.indexOf('*')
  if (at < 0 || segments.indexOf('*', at + 1) >= 0) return undefined
  const before = segments.slice(0, at).map((one) => `${one}/`)
  const behind = segments.slice(at + 1).map((one) => `/${one}`)
  return [before.join(''), behind.join('')]
}

const fillStar = ([before, behind]: TextAroundStar, found: string): string => before + found + behind

/**
 * Returns the word that a name has in place of the star. Undefined if the name does not fit, or the word is not valid.
 */
function wordIn([before, behind]: TextAroundStar, name: string): string | undefined {
  // If `before` and `behind` overlap in the name, `found` is empty, which `logWordPattern` refuses.
  if (!name.startsWith(before) || !name.endsWith(behind)) return undefined
  const found = name.slice(before.length, name.length - behind.length)
  return logWordPattern.test(found) ? found : undefined
}
