/** Lists the files of a blueprint's folder that belong in its bundle, in the same order on every machine. */
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { limits, readText } from '@svc/protocol'
import type { BundleFinding } from '../bundle/findings.ts'
import { keyOf } from '../key.ts'
import { isLogPattern } from '../manifest/logs.ts'
import { readManifest } from '../manifest/read.ts'
import { manifestName } from '../manifest/shape.ts'
import { type Ignore, ignoreName, ignoring } from './ignore.ts'

export interface FolderFile {
  readonly path: string
  readonly size: number
  readonly executable: boolean
}
export interface Gathered {
  /** The files, sorted by the bytes of their paths. The list has at most one file more than a bundle may have. */
  readonly files: readonly FolderFile[]
  /**
   * The paths that an ignore rule leaves out. A folder that is left out as a whole is one entry, with `/` at its end.
   */
  readonly leftOut: readonly string[]
  /** Findings about things in the folder that no bundle can contain: links, devices, files with unreadable names. */
  readonly findings: readonly BundleFinding[]
}

/**
 * Lists the files of the folder `dir` that belong in its bundle, without the file `except`. Throws if a file cannot be
 * read, or if `.svcignore` is not text, since its rules may keep secrets out of the bundle.
 */
export function gather(dir: string, except?: string): Gathered {
  const rules = readText(bytesOf(join(dir, ignoreName)))
  if (!rules.ok) throw new Error(`${ignoreName} ${rules.why}`)
  const ignore = ignoring(ownRules(dir, except), rules.text)
  const walked: Walk = { dir, ignore, files: [], leftOut: [], findings: [] }
  walk(walked, '', false)
  walked.files.sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))
  const { files, leftOut, findings } = walked
  return { files, leftOut, findings }
}

interface Walk {
  readonly dir: string
  readonly ignore: Ignore
  readonly files: FolderFile[]
  readonly leftOut: string[]
  readonly findings: BundleFinding[]
}

function walk(into: Walk, below: string, isOut: boolean): void {
  const { dir, ignore } = into
  for (const raw of readdirSync(join(dir, below), { encoding: 'buffer' }).sort(Buffer.compare)) {
    if (into.files.length > limits.bundleEntries) return
    const name = raw.toString()
    const path = `${below}${name}`
    if (below === '' && keyOf(name) === '.svc') continue
    if (!Buffer.from(name).equals(raw)) {
      if (!isOut) into.findings.push({ file: path, message: 'has a name that is not UTF-8' })
      continue
    }
    const stat = lstatSync(join(dir, path))
    const isFolder = stat.isDirectory()
    // If a folder is left out, its contents are left out too, except for paths that an ignore rule with `!` takes back.
    const out = ignore.judge(isFolder ? `${path}/` : path) ?? isOut
    if (out && !isOut && name !== '.git') into.leftOut.push(isFolder ? `${path}/` : path)
    if (isFolder) {
      if (name !== '.git' && (!out || ignore.mayTakeBack)) walk(into, `${path}/`, out)
    } else if (!out) take(path, stat, into)
  }
}

function take(path: string, stat: ReturnType<typeof lstatSync>, into: Walk): void {
  if (stat?.isSymbolicLink()) into.findings.push({ file: path, message: 'is a symbolic link' })
  else if (!stat?.isFile()) into.findings.push({ file: path, message: 'is neither a file nor a folder' })
  else into.files.push({ path, size: Number(stat.size), executable: (Number(stat.mode) & 0o100) !== 0 })
}

/**
 * The ignore rules besides those in `.svcignore`: for the files that the agent writes while it runs, for bundles of
 * this blueprint that were packed into its folder, and for the file `except`.
 */
function ownRules(dir: string, except: string | undefined): string[] {
  const target = except === undefined ? '' : relative(dir, resolve(except))
  const own =
    target === '' || target.startsWith('..') || isAbsolute(target) ? [] : [`/${literal(target.split(sep).join('/'))}`]
  const manifest = readManifest(bytesOf(join(dir, manifestName)), { for: 'report' })
  if (!manifest.ok) return own
  const { name, state, status, logs } = manifest.value
  const written = [...state, ...(status === undefined ? [] : [status])].map(literal)
  const writtenLogs = logs.map((log) => (isLogPattern(log) ? anyWord(log.path) : literal(log.path)))
  return [...own, ...[...written, ...writtenLogs].map((path) => `/${path}`), `/${name}-[0-9]*.zip`]
}

const literal = (path: string): string => path.replace(/[\\*?[\]!#]/g, '\\$&')
/** The path of a log that stands for many, as an ignore rule: its segment `*` stands for any name. */
const anyWord = (path: string): string =>
  path
    .split('/')
    .map((segment) => (segment === '*' ? segment : literal(segment)))
    .join('/')

/** The bytes of a file; none if it is missing. Throws if it cannot be read. */
function bytesOf(file: string): Uint8Array {
  return existsSync(file) ? readFileSync(file) : new Uint8Array()
}
