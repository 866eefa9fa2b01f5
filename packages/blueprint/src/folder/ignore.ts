/**
 * Decides what of a blueprint's folder is left out of the bundle: files of the machine, of version control and of the
 * running agent, and what `.svcignore` names. Its lines are patterns as in `.gitignore`: `*`, `?`, `[abc]` and `**`; a
 * slash before the end binds to the root, one at the end matches folders only, `!` takes back. Later lines override
 * earlier ones and the defaults.
 */

export const ignoreName = '.svcignore'

/** Left out unless `.svcignore` takes it back; `.svc` cannot be taken back. */
const usual = [
  '.git',
  '.hg',
  '.svn',
  '.DS_Store',
  'Thumbs.db',
  '__pycache__/',
  '*.pyc',
  '.env',
  '.env.*',
  `/${ignoreName}`,
] as const

export interface Ignore {
  /**
   * True if a path is left out, false if it is taken back, undefined if no line matches. The path of a folder ends in
   * `/`.
   */
  readonly judge: (path: string) => boolean | undefined
  /** True if a path inside a folder that is left out may be taken back, so that the folder must be searched. */
  readonly mayTakeBack: boolean
}

interface Rule {
  readonly takesBack: boolean
  readonly foldersOnly: boolean
  readonly matches: RegExp
}

/** Builds the rules. `own` are lines for this blueprint only, `text` is the content of its `.svcignore`. */
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
