/**
 * Decides which files of a blueprint's folder are left out of the bundle: files of the machine, of version control and
 * of the running agent, and files that `.svcignore` names. The lines of `.svcignore` are patterns as in `.gitignore`:
 * `*`, `?`, `[abc]` and `**`; a slash before the end binds a pattern to the root, a slash at the end matches folders
 * only, and `!` takes a path back into the bundle. Later lines override earlier ones and the defaults.
 */

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

export interface Ignore {
  /**
   * Returns true if a path is left out, false if a pattern with `!` takes it back, and undefined if no pattern matches.
   * The path of a folder ends in `/`.
   */
  readonly judge: (path: string) => boolean | undefined
  /** True if a pattern may take back a path inside a folder that is left out. Such folders must then be searched. */
  readonly mayTakeBack: boolean
}

interface Rule {
  readonly takesBack: boolean
  readonly foldersOnly: boolean
  readonly matches: RegExp
}

/**
 * Builds the ignore rules from the default patterns, from `own` (patterns for this blueprint only) and from `text` (the
 * content of `.svcignore`).
 */
export function ignoring(own: readonly string[], text: string): Ignore {
  const rules = [...usual, ...own, ...text.split(/\r?\n/)].flatMap(ruleOf)
  return {
    judge(path) {
      const isFolder = path.endsWith('/')
      const plain = isFolder ? path.slice(0, -1) : path
      const last = rules.findLast((r) => (isFolder || !r.foldersOnly) && r.matches.test(plain))
      return last && !last.takesBack
    },
    mayTakeBack: rules.some((r) => r.takesBack),
  }
}

function ruleOf(line: string): Rule[] {
  const trimmed = line.replace(/(?<!\\)\s+$/, '')
  if (trimmed === '' || trimmed.startsWith('#')) return []
  const takesBack = trimmed.startsWith('!')
  const written = takesBack ? trimmed.slice(1) : trimmed
  const foldersOnly = written.endsWith('/')
  const pattern = foldersOnly ? written.slice(0, -1) : written
  const rooted = pattern.includes('/')
  const plain = pattern.replace(/^\//, '')
  if (plain === '') return []
  return [{ takesBack, foldersOnly, matches: new RegExp(`^${rooted ? '' : '(?:.*/)?'}${expressionOf(plain)}$`, 'u') }]
}

const expressionOf = (pattern: string): string =>
  pattern
    .split(/(\\.|\*\*\/|\/\*\*$|\*+|\?|\[[^\]/]+\])/)
    .map(
      (part) =>
        special[part] ??
        (/^\*+$/.test(part) ? '[^/]*' : /^\[.+\]$/.test(part) ? oneOf(part) : literal(part.replace(/^\\(.)$/, '$1'))),
    )
    .join('')
const special: Readonly<Record<string, string>> = { '**/': '(?:.*/)?', '/**': '/.*', '?': '[^/]' }
const oneOf = (part: string): string =>
  `[${part
    .slice(1, -1)
    .replace(/^!/, '^')
    .replace(/[\\[\]]/g, '\\$&')}]`
const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
