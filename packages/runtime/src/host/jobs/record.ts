/** Reads the record of one run, and all records in the folder of a job. */
import { join } from 'node:path'
import { type Run as ReportedRun, runs as reportedRuns } from '@svc/protocol'
import { type Field, type FieldValue, field, integer, list, object, oneOf, text } from '@svc/protocol/fields'
import { fileNamesIn } from '../../machine/files/durable.ts'
import { isAlive } from '../../machine/process/identity.ts'
import { readOwnJson } from './files.ts'
import { maxAheadMs, runIdOf, sortNumberOf } from './ids.ts'

const statuses = ['running', 'ok', 'failed', 'timeout', 'skipped'] as const

/** The fields of a record that the contract does not have. */
const own = object(
  {
    status: oneOf(statuses),
    exit: integer(0),
    signal: text(20),
    /** The process id of the command. */
    pid: integer(1),
    /** When the command started, in ticks since the boot: field 22 of its /proc/PID/stat. Absent without /proc. */
    start: integer(0),
    /** The id of the boot. Absent without /proc. */
    boot: text(100),
    /** The ids of older runs that lived when this one began. */
    beside: list(text(40), 20),
    /** The sort number of the newest run that started before this one ended. Absent if no later run had started. */
    upTo: integer(0),
  },
  'status',
)

type ReportedFields = Pick<ReportedRun, 'cost_usd' | 'output_tokens' | 'models' | 'subjects'>
/** A run as its record on the disk describes it. */
export type RecordedRun = Readonly<
  FieldValue<typeof own> & ReportedFields & { id: string; started: number } & Pick<ReportedRun, 'ended' | 'log'>
>

/**
 * Reads the facts that a command may report about its run. Other fields, and values that the contract does not allow,
 * are dropped.
 */
export function readReportedFields(value: unknown): ReportedFields {
  const [read] = reportedRuns([typeof value === 'object' ? { ...value, id: 'run' } : undefined]) ?? []
  const { cost_usd, output_tokens, models, subjects } = (read ?? {}) as ReportedRun
  return {
    ...(cost_usd !== undefined && { cost_usd }),
    ...(output_tokens !== undefined && { output_tokens }),
    ...(models !== undefined && { models }),
    ...(subjects !== undefined && { subjects }),
  }
}

const record: Field<RecordedRun> = field(
  (v) => {
    const kept = own(v)
    const [run] = reportedRuns([v]) ?? []
    if (!kept || run?.started === undefined) return undefined
    const { id, started, ended, log } = run
    return {
      ...kept,
      ...readReportedFields(v),
      ...{ id, started },
      ...(ended !== undefined && { ended }),
      ...(log !== undefined && { log }),
    }
  },
  { type: 'object' },
)

/** Reads a record. Undefined if it cannot be read, or if its id is not that of its file. */
export function readRun(file: string): RecordedRun | undefined {
  const run = readOwnJson(file, record)
  return run !== undefined && run.id === runIdOf(file) ? run : undefined
}

/** True if a run lies so far in the future, at `now` in Unix seconds, that the clock was wrong when it began. */
const liesAhead = ({ id, started }: RecordedRun, now: number): boolean =>
  Math.max(started * 1000, sortNumberOf(id)) > now * 1000 + maxAheadMs

interface Records {
  /** The runs of the job, the newest first. */
  readonly runs: readonly RecordedRun[]
  /** The number of records left out because they cannot be read or lie more than a day in the future. */
  readonly passedOver: number
}

/**
 * Reads all records in the folder of a job, at `now` in Unix seconds. Records of runs in `before` that have ended are
 * not read again, since they do not change.
 */
export function readRuns(folder: string, now: number, before: readonly RecordedRun[] = []): Records {
  const ids = idsIn(folder)
  const ended = new Map(before.filter(({ status }) => status !== 'running').map((run) => [run.id, run]))
  const runs = ids
    .map((id) => ended.get(id) ?? readRun(join(folder, `${id}.json`)))
    .filter((run): run is RecordedRun => run !== undefined && (!liesAhead(run, now) || runLives(run)))
  return { runs, passedOver: ids.length - runs.length }
}

/** The ids of the records in the folder of a job, the newest first. */
const idsIn = (folder: string): string[] =>
  fileNamesIn(folder)
    .map((name) => runIdOf(name))
    .filter((id) => id !== undefined)
    .sort((a, b) => sortNumberOf(b) - sortNumberOf(a))

/**
 * True if the command of this run lives: the process has the boot and the start that the record names. Without /proc,
 * any process with its pid counts. If the command does not live, a record that says `running` is that of a lost run.
 */
export const runLives = ({ status, pid, boot, start }: RecordedRun): boolean =>
  status === 'running' &&
  pid !== undefined &&
  isAlive({ pid, start: boot === undefined || start === undefined ? '' : `${boot}:${start}` })
