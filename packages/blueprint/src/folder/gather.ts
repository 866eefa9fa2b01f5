/** Lists the files of a blueprint's folder that belong in its bundle, in the same order on every machine. */
import { lstatSync, readdirSync } from 'node:fs'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { limits } from '@svc/protocol'
import type { BundleFinding } from '../bundle/findings.ts'
import { pathKey } from '../key.ts'
import { isLogPattern } from '../manifest/logs.ts'
import { readManifest } from '../manifest/read.ts'
import { manifestName } from '../manifest/shape.ts'
import { readFile, readTextFile } from '../read-file.ts'
import { type IgnorePattern, readPattern } from './pattern.ts'

/** A file of a blueprint's folder. */
export interface FolderFile {
  readonly path: string
  readonly size: number
  readonly executable: boolean
}
/** The files for a bundle, with findings about the folder. */
export interface GatheredFiles {
  /** The files, sorted by the bytes of their paths. The list has at most one file more than a bundle may have. */
  readonly files: readonly FolderFile[]
  /** The paths that ignore rules leave out, without `.git`. A folder is one entry, with `/` at its end. */
  readonly leftOut: readonly string[]
  /** Findings about things in the folder that no bundle can contain: links, devices, files with unreadable names. */
  readonly findings: readonly BundleFinding[]
  /** Findings about lines of `.svcignore` with `!` that cannot take back a path. */
  readonly warnings: readonly BundleFinding[]
}

/**
 * The findings about a `.svcignore` that cannot be read. Nothing is packed then, since its rules may keep out secrets.
 */
interface RefusedRules {
  readonly refused: readonly BundleFinding[]
}

/**
 * Lists the files of the folder `dir` that belong in its bundle, without the file `except`. Throws if a folder cannot
 * be read.
 */
export function gatherFiles(dir: string, except?: string): GatheredFiles | RefusedRules {
  const rules = readTextFile(join(dir, ignoreName), maxRulesBytes)
  if (rules.is === 'unreadable') return { refused: [{ file: ignoreName, message: rules.why }] }
  const ignore = readIgnoreRules(ownRules(dir, except), rules.is === 'text' ? rules.text : '')
  if (ignore.findings.length > 0) return { refused: ignore.findings }
  const walked: Walk = { dir, ignore, files: [], leftOut: [], findings: [], useless: new Map() }
  walk(walked, '', undefined)
  walked.files.sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))
  const { files, leftOut, findings, useless } = walked
  return { files, leftOut, findings, warnings: [...useless.values()] }
}

const maxRulesBytes = 1024 * 1024

interface Walk {
  readonly dir: string
  readonly ignore: Ignore
  readonly files: FolderFile[]
  readonly leftOut: string[]
  readonly findings: BundleFinding[]
  /** The warnings about lines with `!` that cannot take back a path, by line. */
  readonly useless: Map<number | undefined, BundleFinding>
}

/** Walks through a folder. `outBy` is the rule that leaves the folder out. */
function walk(into: Walk, below: string, outBy: Rule | undefined): void {
  const { dir, ignore } = into
  for (const raw of readdirSync(join(dir, below), { encoding: 'buffer' }).sort(Buffer.compare)) {
    if (into.files.length > limits.bundleEntries) return
    const name = raw.toString()
    const path = `${below}${name}`
    if (below === '' && pathKey(name) === '.svc') continue
    if (!Buffer.from(name).equals(raw)) {
      if (!outBy) into.findings.push({ file: path, message: 'has a name that is not UTF-8' })
      continue
    }
    const stat = lstatSync(join(dir, path))
    const isFolder = stat.isDirectory()
    const out = outOf(into, isFolder ? `${path}/` : path, outBy)
    if (out && !outBy && name !== '.git') into.leftOut.push(isFolder ? `${path}/` : path)
    if (isFolder) {
      if (name !== '.git' && (!out || ignore.mayTakeBack)) walk(into, `${path}/`, out)
    } else if (!out) take(path, stat, into)
  }
}

/**
 * Returns the rule that leaves `path` out, if any. `outBy` is the rule that leaves its folder out. A line with `!`
 * takes back a path in that folder if a default left the folder out, but not if a line of `.svcignore` did, as in git.
 */
function outOf({ ignore, useless }: Walk, path: string, outBy: Rule | undefined): Rule | undefined {
  const rule = ignore.judge(path)
  if (outBy?.line === undefined) return rule ? (rule.takesBack ? undefined : rule) : outBy
  if (rule?.takesBack && !useless.has(rule.line))
    useless.set(rule.line, {
      file: ignoreName,
      ...(rule.line !== undefined && { line: rule.line }),
      message: `does not take back ${path}: line ${outBy.line} leaves out its folder as a whole. Let that line end in "/*"`,
    })
  return outBy
}

function take(path: string, stat: ReturnType<typeof lstatSync>, into: Walk): void {
  if (stat?.isSymbolicLink()) into.findings.push({ file: path, message: 'is a symbolic link' })
  else if (!stat?.isFile()) into.findings.push({ file: path, message: 'is neither a file nor a folder' })
  else into.files.push({ path, size: Number(stat.size), executable: (Number(stat.mode) & 0o100) !== 0 })
}

/**
 * The ignore patterns of this blueprint only: for the files that the agent writes while it runs, for bundles of this
 * blueprint that were packed into its folder, and for the file `except`.
 */
function ownRules(dir: string, except: string | undefined): string[] {
  const target = except === undefined ? '' : relative(dir, resolve(except))
  const own =
    target === '' || target.startsWith('..') || isAbsolute(target)
      ? []
      : [`/${escapePattern(target.split(sep).join('/'))}`]
  const manifestFile = readFile(join(dir, manifestName), limits.manifestBytes)
  const manifest = readManifest(manifestFile.is === 'bytes' ? manifestFile.bytes : '', { for: 'report' })
  // `wrongInFolder` reports a manifest that cannot be read.
  if (!manifest.ok) return own
  const { name, state, status, logs } = manifest.value
  const written = [...state, ...(status === undefined ? [] : [status])].map(escapePattern)
  const writtenLogs = logs.map((log) => (isLogPattern(log) ? anyWord(log.path) : escapePattern(log.path)))
  return [...own, ...[...written, ...writtenLogs].map((path) => `/${path}`), `/${name}-[0-9]*.zip`]
}

const escapePattern = (path: string): string => path.replace(/[\\*?[\]!#]/g, '\\$&')
/**
 * Writes the path of a log that stands for many logs as an ignore pattern, in which the segment `*` matches any name.
 */
const anyWord = (path: string): string =>
  path
    .split('/')
    .map((segment) => (segment === '*' ? segment : escapePattern(segment)))
    .join('/')

// Ignore rules decide which files of a blueprint's folder stay out of its bundle. The lines of `.svcignore` mean what
// they mean in a `.gitignore`, except that `!` also takes back paths in folders that a default leaves out (D68).

const ignoreName = '.svcignore'

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

/** A rule that leaves paths out or takes them back. `line` is its line in `.svcignore`, absent for other rules. */
interface Rule {
  readonly takesBack: boolean
  readonly line?: number
}
interface Ignore {
  /** The rule that decides about a path: the last one that matches. The path of a folder ends in `/`. */
  readonly judge: (path: string) => Rule | undefined
  /** True if a rule may take back a path in a folder that is left out, so that such folders must be searched. */
  readonly mayTakeBack: boolean
  /**
   * Findings about lines that cannot be read. If there are any, nothing is packed, since a line may keep out secrets.
   */
  readonly findings: readonly BundleFinding[]
}

/**
 * Builds the ignore rules from the default patterns, from `own` (patterns for this blueprint only) and from `text` (the
 * content of `.svcignore`).
 */
export function readIgnoreRules(own: readonly string[], text: string): Ignore {
  const findings: BundleFinding[] = []
  const rules: (Rule & IgnorePattern)[] = [...usual, ...own].flatMap((pattern) => {
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
      // If a rule matches by bytes but not by characters, or the other way round, the file stays out of the bundle.
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
