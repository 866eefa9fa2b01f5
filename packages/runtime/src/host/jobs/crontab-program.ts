/** Asks the program `crontab` for the table of this user. The program may be missing, fail or hang. */
import { execFile } from 'node:child_process'
import { timeoutMs } from '../../machine/base/time.ts'

/** The seconds after which `crontab` is killed. */
const limitSeconds = 10
const maxBytes = 4 * 1024 * 1024

type ListedTable =
  /** The table as it is; empty if this user has none, or if this machine has no program `crontab`. */
  | { readonly is: 'table'; readonly bytes: Buffer }
  /** `why` completes a sentence that begins with the command. It quotes nothing from the table. */
  | { readonly is: 'failed'; readonly why: string }

const nothing = Buffer.alloc(0)

export async function listCrontab(): Promise<ListedTable> {
  const { code, out, err } = await run(['-l'])
  if (code === 0) return { is: 'table', bytes: out }
  if (code === 'ENOENT' || saysNoTable(err.toString('utf8'))) return { is: 'table', bytes: nothing }
  if (code === undefined) return { is: 'failed', why: `did not end within ${limitSeconds} s` }
  return { is: 'failed', why: typeof code === 'number' ? `failed (exit ${code})` : `failed (${code})` }
}

/**
 * The messages that programs named `crontab` print for a user without a table: Debian, cronie, dcron, macOS and the
 * BSDs (with their name in front); busybox on Alpine and OpenWrt, also while the folder for tables is missing; Solaris
 * and illumos; AIX; fcron; bcron. For a table that cannot be read, they print something else.
 */
const noTable: readonly RegExp[] = [
  /^(?:\S*crontab: )?no crontab for /im,
  /^\S*crontab: can't (?:open|change directory to) '[^']*': No such file or directory$/m,
  /^crontab: can't open your crontab file\.?$/m,
  /^0481-103 .*\n?.*does not exist/m,
  /\bhas no f?crontab\b/im,
  /\bcrontab (?:file )?(?:for \S+ )?(?:does not|doesn't) exist/im,
]

/** True if `crontab -l` says with these words that the user has no table. */
export const saysNoTable = (words: string): boolean => noTable.some((one) => one.test(words))

/** True if this cron obeys `CRON_TZ`, as only cronie does. */
export async function obeysCronTz(): Promise<boolean> {
  const { out, err } = await run(['-V'])
  return /\bcronie\b/i.test(`${out.toString('utf8')}\n${err.toString('utf8')}`)
}

interface ProgramEnd {
  /** The exit code, the code of a failed system call, or a signal; undefined if the program took too long. */
  readonly code: number | string | undefined
  readonly out: Buffer
  readonly err: Buffer
}

function run(args: readonly string[]): Promise<ProgramEnd> {
  const env = { ...process.env, LC_ALL: 'C' }
  return new Promise((resolve) => {
    const end = (code: ProgramEnd['code'], out: Buffer = nothing, err: Buffer = nothing) => {
      clearTimeout(timer)
      resolve({ code, out, err })
    }
    const options = { env, cwd: '/', encoding: 'buffer' as const, maxBuffer: maxBytes }
    const child = execFile('crontab', [...args], options, (error, out, err) => {
      end(error ? (error.code ?? error.signal ?? 1) : 0, out, err)
    })
    child.stdin?.on('error', () => {}).end()
    // A program that ignores the kill, or whose child keeps the pipe open, must not delay this function further.
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      child.stdout?.destroy()
      child.stderr?.destroy()
      child.unref()
      end(undefined)
    }, timeoutMs(limitSeconds))
  })
}
