/**
 * Reads the history of a git checkout. The functions only read, start no program that the checkout configures, and use
 * no network.
 */
import { execFile } from 'node:child_process'
import { basename } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const timeoutMs = 60_000

export interface Commit {
  hash: string
  /** When the commit was made, in Unix seconds by the author's clock. */
  at: number
  author: string
  subject: string
  parents: number
  added: number
  removed: number
  files: number
}

export interface Wanted {
  folder: string
  branch: string
  commits: number
  since: number | undefined
  merges: boolean
}

export interface History {
  /** The name of the repository's folder. */
  name: string
  folder: string
  branch: string
  head: string
  /** The address of the repository's web page, if its remote is an http or https address. */
  page: string | undefined
  /** The commits that were read, newest first. */
  commits: Commit[]
  /** True if older commits were left out because there are more than the setting `commits` allows. */
  cut: boolean
}

/**
 * Returns the hash of the newest commit of the branch in `wanted`, or of HEAD if it names none. Throws an Error whose
 * message is for people.
 */
export async function headOf(wanted: Wanted, signal: AbortSignal): Promise<string> {
  const name = wanted.branch || 'HEAD'
  const found = await git(wanted.folder, signal, 'rev-parse', '--verify', '--end-of-options', `${name}^{commit}`)
  return found.trim()
}

export async function readHistory(wanted: Wanted, head: string, signal: AbortSignal): Promise<History> {
  const ask = (...args: string[]) => git(wanted.folder, signal, ...args)
  const top = (await ask('rev-parse', '--show-toplevel').catch(() => ask('rev-parse', '--absolute-git-dir'))).trim()
  const branch = wanted.branch || (await ask('symbolic-ref', '--short', '-q', 'HEAD').catch(() => 'detached')).trim()
  const remote = await ask('config', '--get', 'remote.origin.url').catch(() => '')
  const log = await ask(
    'log',
    `--max-count=${Math.floor(wanted.commits) + 1}`,
    '--format=%x01%H%x00%at%x00%aN%x00%P%x00%s%x00',
    '--numstat',
    '--no-show-signature',
    '--no-ext-diff',
    '--no-textconv',
    ...(wanted.merges ? [] : ['--no-merges']),
    ...(wanted.since === undefined ? [] : [`--since=@${Math.floor(wanted.since)}`]),
    '--end-of-options',
    head,
  )
  const commits = parse(log)
  const cut = commits.length > wanted.commits
  return {
    name: basename(top).replace(/\.git$/, '') || top,
    folder: top,
    branch,
    head,
    page: pageOf(remote.trim()),
    commits: commits.slice(0, wanted.commits),
    cut,
  }
}

/**
 * Parses the output of `git log`: each commit begins with the byte 01, its fields are separated by the byte 00, and
 * lines of the form `added removed path` follow.
 */
export function parse(log: string): Commit[] {
  return log
    .split('\x01')
    .slice(1)
    .map((record) => {
      const [hash = '', at = '0', author = '', parents = '', subject = '', changes = ''] = record.split('\0')
      const lines = changes.split('\n').map((line) => /^(\d+|-)\t(\d+|-)\t/.exec(line))
      const sum = (column: 1 | 2) => lines.reduce((all, line) => all + (Number(line?.[column]) || 0), 0)
      return {
        hash,
        at: Math.max(0, Number(at) || 0),
        author,
        subject,
        parents: parents.split(' ').filter(Boolean).length,
        added: sum(1),
        removed: sum(2),
        files: lines.filter(Boolean).length,
      }
    })
}

/**
 * The address of the web page of a repository whose remote is an http or https address. The user and the password that
 * some remotes contain are left out.
 */
export function pageOf(remote: string): string | undefined {
  const url = URL.canParse(remote) ? new URL(remote) : undefined
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\.git$/, '')}`
}

async function git(folder: string, signal: AbortSignal, ...args: string[]): Promise<string> {
  const safe = ['-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false', '--no-optional-locks', '--no-pager']
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))
  const env = { ...Object.fromEntries(inherited), LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_NO_LAZY_FETCH: '1' }
  try {
    const options = { cwd: folder, env, signal, timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024 }
    const { stdout } = await run('git', [...safe, ...args], options)
    return stdout
  } catch (error) {
    throw new Error(reasonOf(error, folder), { cause: error })
  }
}

function reasonOf(error: unknown, folder: string): string {
  const facts = error as { code?: unknown; stderr?: string; killed?: boolean; message?: string }
  if (facts.code === 'ENOENT') return `git is not installed, or ${folder} is not there`
  if (facts.killed) return `git did not answer within ${timeoutMs / 1000} seconds`
  const said = facts.stderr?.split('\n').find((line) => line !== '')
  if (said?.endsWith('Needed a single revision')) return 'there is no such branch, tag or commit, or no commit yet'
  return said?.replace(/^fatal: /, '') ?? facts.message ?? String(error)
}
