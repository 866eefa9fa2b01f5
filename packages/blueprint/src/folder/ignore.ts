/**
 * Decides which files of a blueprint's folder are left out of the bundle: files of the machine, of version control and
 * of the running agent, and files that `.svcignore` names. Its lines mean what they mean in a `.gitignore`, except that
 * `!` also takes back paths inside folders that are left out by default (D68).
 */
import type { BundleFinding } from '../bundle/findings.ts'
import { type Pattern, readPattern } from './pattern.ts'

export const ignoreName = '.svcignore'

/**
 * The patterns of files that are left out unless `.svcignore` takes them back. The folders `.svc` and `.git` cannot be
 * taken back.
 */
const usual = [
  '.git',
  '.hg',
  '.svn',
  '.DS_Store',
  '__MACOSX/',
  '._*',
  'Thumbs.db',
  '__pycache__/',
  '*.pyc',
  '.env',
  '.env.*',
  `/${ignoreName}`,
] as const

/** A rule is a line of `.svcignore`, or a default, which has no line. */
export interface Rule {
  readonly takesBack: boolean
  readonly line?: number
}
export interface Ignore {
  /** The rule that decides about a path: the last one that matches. The path of a folder ends in `/`. */
  readonly judge: (path: string) => Rule | undefined
  /** True if a rule may take back a path inside a folder that is left out. Such folders must then be searched. */
  readonly mayTakeBack: boolean
  /** The lines that are not understood. Nothing may be packed then, since they may keep secrets out of the bundle. */
  readonly findings: readonly BundleFinding[]
}

/**
 * Builds the ignore rules from the default patterns, from `own` (patterns for this blueprint only) and from `text` (the
 * content of `.svcignore`).
 */
export function ignoring(own: readonly string[], text: string): Ignore {
  const findings: BundleFinding[] = []
  const rules: (Rule & Pattern)[] = [...usual, ...own].flatMap((pattern) => {
    const read = readPattern(pattern)
    if (!read.ok) throw new Error(`the pattern ${pattern} ${read.why}`)
    return [{ takesBack: false, ...read.pattern }]
  })
  for (const [index, written] of text.split(/\r\n|\r|\n/).entries()) {
    const pattern = withoutBlanks(written)
    if (pattern === '' || pattern.startsWith('#')) continue
    const takesBack = pattern.startsWith('!')
    const read = readPattern(takesBack ? pattern.slice(1) : pattern)
    if (read.ok) rules.push({ takesBack, line: index + 1, ...read.pattern })
    else findings.push({ file: ignoreName, line: index + 1, message: `"${pattern}" ${read.why}` })
  }
  return {
    judge(path) {
      const isFolder = path.endsWith('/')
      const plain = isFolder ? path.slice(0, -1) : path
      // In doubt, a file stays out of the bundle.
      return rules.findLast((r) => (isFolder || !r.foldersOnly) && r.matches(plain, !r.takesBack))
    },
    mayTakeBack: rules.some((r) => r.takesBack),
    findings,
  }
}

/** A line without the blanks at its end. A backslash keeps the blank after it. */
function withoutBlanks(line: string): string {
  let end = 0
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '\\') at++
    else if (line[at] === ' ' || line[at] === '\t') continue
    end = at + 1
  }
  return line.slice(0, end)
}
