/**
 * Ends the runs that a process of the agent left open, because nothing else ends them once the process is gone. Runs of
 * a process that was stopped end as `stopped`, and those of one that ended by itself as `lost`. Pure.
 */
import { isInProgress, isTooFarAhead, type StatusFile } from '@svc/protocol'
import type { ProcessState } from '../../state/process-note.ts'

type StatusRun = NonNullable<StatusFile['runs']>[number]

/** The facts about runs that are remembered between two reports. */
export interface OpenRuns {
  /** The mark of the start to which the open runs belong. */
  readonly started?: string | undefined
  /** When the status file of the last report was written, in Unix milliseconds. */
  readonly writtenAt?: number | undefined
  /** The runs that were open in the last report, by id. */
  readonly open: ReadonlyMap<string, StatusRun>
  /**
   * The runs that the runtime ended in place of the agent, by id. They are reported until the agent writes about them,
   * or starts again.
   */
  readonly ended: ReadonlyMap<string, StatusRun>
}
/** The facts about runs before the first report. */
export const noRuns: OpenRuns = { open: new Map(), ended: new Map() }

/** Once this many ended runs are remembered, further ones are not, so that later reports have room for other runs. */
const maxEnded = 50

interface ReportedStatus {
  readonly status: StatusFile
  /** When the status file was written, in Unix milliseconds; undefined if that is not known. */
  readonly writtenAt: number | undefined
  /** The state of the agent's process; undefined if the runtime does not start the agent. */
  readonly process: ProcessState | undefined
  /** The present time in Unix milliseconds. */
  readonly now: number
}

/** Returns the status to report, without open runs of a process that is gone, and the facts to remember. */
export function withEndedRuns(
  before: OpenRuns,
  { status, writtenAt, process, now }: ReportedStatus,
): { readonly status: StatusFile; readonly kept: OpenRuns } {
  if (process === undefined) return { status, kept: before }
  const isUp = process.is === 'running' || process.is === 'stopping'
  const start = isUp ? Number(process.started) * 1000 : Number.NaN
  // Until the present process has written the file, its content is that of the previous process. A start in the future
  // means that the clock was set back, so it cannot be compared.
  const isOld = !isUp || (writtenAt !== undefined && writtenAt < start && !isTooFarAhead(start, now))
  const isLater = before.started !== process.started
  const listed = status.runs ?? []
  const left =
    isLater || isOld ? [...before.open.values()].filter(({ id }) => !listed.some((run) => run.id === id)) : []
  const end = endOf(process, { writtenAt: isOld ? writtenAt : before.writtenAt, now })
  const ended = new Map<string, StatusRun>()
  const close = (run: StatusRun): StatusRun => {
    const closed = before.ended.get(run.id) ?? { ...run, status: end.status, ended: Math.max(end.at, run.started ?? 0) }
    if (ended.size < maxEnded) ended.set(run.id, closed)
    return closed
  }
  const runs = listed.map((run) => (isOld && isOpen(run) ? close(run) : run))
  const earlier = [...before.ended.values()].filter(({ id }) => !isLater && !listed.some((run) => run.id === id))
  for (const run of earlier) ended.set(run.id, run)
  const more = [...earlier, ...left.map(close)]
  const { active, ...rest } = status
  return {
    status: {
      ...rest,
      ...(active !== undefined && !isOld && { active }),
      ...((status.runs !== undefined || more.length > 0) && { runs: [...runs, ...more] }),
    },
    kept: {
      started: process.started,
      writtenAt: writtenAt ?? before.writtenAt,
      open:
        status.runs === undefined && !isLater && !isOld
          ? before.open
          : new Map(runs.filter(isOpen).map((run) => [run.id, run])),
      ended,
    },
  }
}

const isOpen = (run: StatusRun): boolean =>
  run.ended === undefined && run.status !== undefined && isInProgress(run.status) && !isOfHost(run)

/** True for a run that the host agent shows: something else started it, and it goes on without the host agent. */
const isOfHost = ({ kind = '', id }: StatusRun): boolean =>
  (kind === 'job' && /^[^/]+\/\d{1,15}-[0-9a-z]{1,16}$/.test(id)) ||
  (sessionPattern.test(id) && id.startsWith(`${kind}:`))
/** The pattern of the ids of the runs that the host agent reports for AI sessions. */
const sessionPattern = /^(?:(?:claude|codex):[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|opencode:ses_[\dA-Za-z]{10,60})$/

/**
 * The status and the time with which open runs of a process end. The time is the first that is known: the end of the
 * process, the last write of the status file, the present.
 */
function endOf(process: ProcessState, { writtenAt, now }: Pick<ReportedStatus, 'writtenAt' | 'now'>) {
  const isGone = process.is === 'waiting' || process.is === 'stopped'
  const known = isGone ? process.exit?.at : undefined
  const asked = process.is === 'stopped' && process.because !== 'ended'
  return { status: asked ? 'stopped' : 'lost', at: Math.floor((known || writtenAt || now) / 1000) }
}
