/**
 * The service's log: JSON lines on standard error, and lines for people on a terminal. It contains no secrets: the
 * values of known keys are replaced by `***`, and anything that looks like a credential is masked in the finished line,
 * wherever it came from (I29).
 */
import { maskSecrets } from '@svc/protocol'
import { type DestinationStream, type LogFn, type Logger, pino } from 'pino'
import { prettyFactory } from 'pino-pretty'
import { isAboutLock } from './db/writer-lock.ts'
import { linesTo, type OutputLines, writerTo } from './lines.ts'

const secretKeys = ['authorization', 'cookie', 'password', 'secret', 'token', 'code', 'headers', 'body']
const paths = secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`])

/** Opens the log of the service at this level. */
export function openServiceLog(level: string, destination: DestinationStream = standardError()): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: paths.filter((path) => !allowedKeys.has(path)), censor: '***' },
      hooks: { streamWrite: withoutSecrets, logMethod: withoutLocked },
    },
    destination,
  )
}

/**
 * Leaves out lines about errors that happen because another program holds the lock of the database, except at `debug`.
 * Instead, one line says when that begins, and one when it ends.
 */
function withoutLocked(this: Logger, args: Parameters<LogFn>, method: LogFn, level: number): void {
  const [facts] = args as unknown[]
  const error = typeof facts === 'object' && facts !== null && 'err' in facts ? facts.err : facts
  if (level > debugLevel && isAboutLock(error)) return
  method.apply(this, args)
}
const debugLevel = 20

/**
 * Keys that may be logged although a secret could have the same name: `err.code` is the name of an error, such as
 * ECONNREFUSED, and never an install code.
 */
const allowedKeys = new Set(['*.code', '*.*.code'])

/**
 * Patterns that find one-time links, cookies, bearer tokens, password fields and passwords of PostgreSQL addresses in
 * any text, also in JSON within JSON.
 */
const secretPatterns = [
  [/(token=)[A-Za-z0-9_-]{8,}/g, '$1***'],
  [/((?:__Secure-|__Host-)?svc\.[a-z_-]+(?:\.\d+)?=)[^;\s"\\]+/g, '$1***'],
  [/(\bbearer\s+)[^\s"\\]+/gi, '$1***'],
  [/(\\*"password\\*"\s*:\s*\\*")[^"\\]*/gi, '$1***'],
  [/(postgres(?:ql)?:\/\/[^:/?#\s"@]*:)[^@\s"]+@/g, '$1***@'],
] as const

const withoutSecrets = (line: string): string =>
  secretPatterns.reduce((text, [shape, instead]) => text.replace(shape, instead), maskSecrets(line, []))

/** The lines that this process writes to standard error, and how many of them were lost. */
export const standardErrorLines: OutputLines = linesTo({
  put: writerTo(2),
  notice: (lost, code) =>
    `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), lost, code, msg: 'lines of the log could not be written and were lost' })}\n`,
})

/**
 * The destination that writes to standard error. It writes synchronously, so that the last lines of a crashing process
 * are not lost.
 */
function standardError(): DestinationStream {
  if (!process.stderr.isTTY) return standardErrorLines
  const readable = logLineForPeople({ colorize: true })
  return { write: (line) => standardErrorLines.write(readable(line)) }
}

/**
 * Returns a function that makes the line for people from a line of the log: the time, the message, and its facts in
 * brackets. For a line with an error it makes several lines, with the stack.
 */
export function logLineForPeople(colours: { colorize: boolean }): (line: string) => string {
  const looks = { ...colours, translateTime: 'SYS:HH:MM:ss' } as const
  const whole = prettyFactory(looks)
  const short = prettyFactory({
    ...looks,
    hideObject: true,
    messageFormat: ({ level: _, time: __, ...log }, key) => {
      const { [key]: message, ...facts } = log as Record<string, unknown>
      const said = Object.entries(facts).map(([name, value]) => `${name} ${factText(value)}`)
      return said.length === 0 ? String(message) : `${message} (${said.join(', ')})`
    },
  })
  return (line) => (/"(err|error)":\{/.test(line) ? whole : short)(line)
}

/** A value as JSON, in which no control character reaches the terminal. A text is without its quotation marks. */
const factText = (value: unknown): string => {
  const json = JSON.stringify(value) ?? ''
  return typeof value === 'string' ? json.slice(1, -1) : json
}
