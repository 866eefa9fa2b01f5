/** Describes the machine on which a measurement ran, since its figures mean nothing without that. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { DatabaseSync } from 'node:sqlite'

/** Describes the measurement in one line: the machine, the versions, the commit, the date. */
export function machine(): string {
  const memory = `${Math.round(totalmem() / 1024 ** 3)} GB`
  const node = `Node ${process.versions.node}, SQLite ${sqlite()}`
  return `_${new Date().toISOString().slice(0, 10)}, commit ${commit()}. ${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${memory}, Linux ${release()}; ${node}. Load when it began: ${load()}._`
}

function sqlite(): string {
  const db = new DatabaseSync(':memory:')
  const { version } = db.prepare('select sqlite_version() as version').get() as { version: string }
  db.close()
  return version
}

function commit(): string {
  try {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim()
    return git('rev-parse', '--short', 'HEAD')
  } catch {
    return 'unknown'
  }
}

/** The load average of the minute before this program started. It shows what else the machine had to do. */
const loadAtStart = readFileSync('/proc/loadavg', 'utf8').split(' ')[0] ?? '?'
const load = () => loadAtStart
