/**
 * Fourth step of an update, "run health" (3.3), the trial: the agent runs the new version and must report a level that
 * is not bad within `health.start_seconds`. Without a status file its process must stay up instead. While the agent is
 * paused, stopped or suspended, the version is not judged and the time does not count.
 */
import { type Level, levelRank } from '@svc/protocol'
import { flooredMs, scaledMs, wait } from '../../machine/base/time.ts'
import { plainHint } from '../../machine/hint.ts'
import { howEnded } from '../../machine/process/listed.ts'
import { processHealth } from '../../state/process-health.ts'
import type { ProcessState } from '../../state/process-note.ts'
import { versionFolderName } from '../../state/versions/folders.ts'
import type { UpdateStepResult } from './change.ts'
import { isResting, tickMs, type UpdateContext, type UpdateStep } from './ground.ts'
import { ownLevel, type StatusRead, statusReader } from './status.ts'

/** The seconds for which the process must have run before the version can pass its trial. */
const countsSeconds = 5
/** The seconds that the launcher has to replace the old version by the new one, in addition to `stop_seconds`. */
const replaceSeconds = 60
/** The number of crashes of the new version after which its trial has failed. */
const maxCrashes = 3
const defaultSeconds = 60

interface Sample {
  readonly process: ProcessState
  /** The folder name of the version on trial. */
  readonly name: string
  /** The milliseconds since this trial first saw the agent's current process. */
  readonly up: number
  /** The content of the agent's status file; absent if the manifest names no status file. */
  readonly status?: StatusRead
}
type Proof = { readonly is: 'good'; readonly level: Level } | { readonly is: 'bad' | 'not yet'; readonly why: string }

/** Judges the state of the agent at one moment. */
export function judgeSample({ process, name, up, status }: Sample): Proof {
  if (process.version !== name) return { is: 'not yet', why: 'it did not start' }
  const { level: own } = processHealth(process)
  if (process.is === 'waiting' && process.crashes >= maxCrashes) return { is: 'bad', why: endOf(process) }
  const lasted = process.is === 'running' && up >= flooredMs(countsSeconds)
  const finished = process.is === 'stopped' && process.because === 'ended' && process.exit?.code === 0
  if (!lasted && !finished) return { is: 'not yet', why: endOf(process) }
  if (status && !status.fresh) return { is: 'not yet', why: 'it wrote no status that can be read' }
  const level = ownLevel(status?.status ?? {}, own ?? 'ok', status?.health)
  return levelRank[level] >= levelRank.bad
    ? { is: 'not yet', why: `its level is bad${saidBy(status)}` }
    : { is: 'good', level }
}

/** The remark that says where a person can read the output of the process. */
const printedHint = ` ("${plainHint('logs output')}" on its machine shows what it printed)`

const notUp = 'it did not stay up'

/** Says how the agent's process last ended, as the reason why the new version has not passed its trial. */
function endOf(process: ProcessState): string {
  if (!('exit' in process) || !process.exit) return notUp
  const crashes = 'crashes' in process ? process.crashes : 0
  return `it ${howEnded(process.exit)}${crashes > 1 ? `, ${crashes} times in a row` : ''}${process.exit.error === undefined ? printedHint : ''}`
}

function saidBy(status: StatusRead | undefined): string {
  const { state, health = [] } = status?.status ?? {}
  const bad = [state, ...health].find((item) => item?.level === 'bad')
  if (!bad) return ''
  const what = 'label' in bad ? bad.label : 'name' in bad ? bad.name : undefined
  const words = [what, bad.detail]
    .filter((part) => part !== undefined && part !== '')
    .map((part) => part?.replace(/[\s.:]+$/, ''))
  return words.length > 0 ? `: ${words.join(': ')}` : ''
}

/** The step that judges a version on trial. */
export const proving: UpdateStep = async (ground, update) => {
  const { stop, process, deaths } = ground
  const { to } = update
  if (!to) return { event: 'worse', why: 'nobody knows what was to be proved' }
  const name = versionFolderName(to.sha256)
  const manifest = await ground.manifest()
  const read = statusReader(ground.folder, manifest)
  const limit = scaledMs(manifest?.health.start_seconds ?? defaultSeconds)
  const whole = limit + scaledMs((manifest?.runtime?.stop_seconds ?? 10) + replaceSeconds)
  const died = deaths()
  let ran = 0
  let waited = 0
  let pid = 0
  let since = 0
  let last = performance.now()
  /** How a process of the new version last ended. It is kept here, since a process that runs now does not show it. */
  let ended: string | undefined
  for (;;) {
    const now = performance.now()
    const passed = now - last
    last = now
    const asked = ground.asked()
    if (asked) return asked
    if (!isResting(ground)) {
      const state = process()
      if ('pid' in state && state.pid !== pid) {
        pid = state.pid
        since = now
      }
      const status = read(state)
      const proof = judgeSample({ process: state, name, up: now - since, ...(status && { status }) })
      if (proof.is === 'good') return { event: 'done', level: proof.level }
      if (state.version === name && endOf(state) !== notUp) ended = endOf(state)
      waited += passed
      if (state.version === name) ran += passed
      if (proof.is === 'bad') return worseResult(proof.why)
      if (deaths() - died >= maxCrashes) return worseResult(`its process died ${maxCrashes} times${printedHint}`)
      if (ran >= limit || waited >= whole)
        return worseResult(proof.why === notUp ? (ended ?? notUp) : proof.why, ` of ${secondsOf(manifest)} s`)
    }
    if (!(await wait(tickMs(), stop))) return undefined
  }
}

const secondsOf = (manifest: Awaited<ReturnType<UpdateContext['manifest']>>): number =>
  manifest?.health.start_seconds ?? defaultSeconds
const worseResult = (why: string, of = ''): UpdateStepResult => ({
  event: 'worse',
  why: `it failed its health check${of}: ${why}`,
})
