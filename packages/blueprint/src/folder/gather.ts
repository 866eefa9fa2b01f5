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
/** The files for a bundle, and what was found besides. */
export interface GatheredFiles {
  /** The files, sorted by the bytes of their paths. The list has at most one file more than a bundle may have. */
  readonly files: readonly FolderFile[]
  /**
   * The paths that an ignore rule leaves out. A folder that is left out as a whole is one entry, with `/` at its end.
   */
  readonly leftOut: readonly string[]
  /** Findings about things in the folder that no bundle can contain: links, devices, files with unreadable names. */
  readonly findings: readonly BundleFinding[]
  /** Findings about ignore rules that do not do what they say. */
  readonly warnings: readonly BundleFinding[]
}

/** Ignore rules that are not understood. Nothing may be packed then, since they may keep secrets out of the bundle. */
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
  /** The warnings about rules that take nothing back, by the line of the rule. */
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
 * The rule that leaves a path out; undefined if none does. Everything in a folder that is left out is left out, too. If
 * a default leaves the folder out, a line with `!` can take such a path back; if a line leaves it out, nothing in it is
 * taken back, as in git.
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
  // A manifest that cannot be read is refused when it is checked.
  if (!manifest.ok) return own
  const { name, state, status, logs } = manifest.value
  const written = [...state, ...(status === undefined ? [] : [status])].map(escapePattern)
  const writtenLogs = logs.map((log) => (isLogPattern(log) ? anyWord(log.path) : escapePattern(log.path)))
  return [...own, ...[...written, ...writtenLogs].map((path) => `/${path}`), `/${name}-[0-9]*.zip`]
}

const escapePattern = (path: string): string => path.replace(/[\\*?[\]!#]/g, '\\$&')
/** The path of a log that stands for many logs, as an ignore rule: the segment `*` of the path matches any name. */
const anyWord = (path: string): string =>
  path
    .split('/')
    .map((segment) => (segment === '*' ? segment : escapePattern(segment)))
    .join('/')

// Decides which files of a blueprint's folder are left out of the bundle: files of the machine, of version control and
// of the running agent, and files that `.svcignore` names. Its lines mean what they mean in a `.gitignore`, except that
// `!` also takes back paths inside folders that are left out by default (D68).

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

/** A rule is a line of `.svcignore`, or a default, which has no line. */
interface Rule {
  readonly takesBack: boolean
  readonly line?: number
}
interface Ignore {
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
