/**
 * The agent's own version (3.3) in the runtime: listens to the wishes in the answers and to those of people here, and drives the
 * machine (moves.ts). Nothing of it waits in the way of a report or of the agent; the launcher restarts the agent by itself when
 * `current` leads to another version than its process was started from.
 */

import type { Manifest } from '@svc/blueprint'
import type { HealthItem, ReceivedAnswer } from '@svc/protocol'
import { messageOf } from '../errors.ts'
import type { Folder } from '../files/folder.ts'
import { plainHint } from '../hint.ts'
import { readInstall } from '../install/note.ts'
import type { ProcessState } from '../launcher/moves.ts'
import { duration } from '../time.ts'
import { busyWith } from '../versions/busy.ts'
import { isHere, leadsTo } from '../versions/folders.ts'
import type { Release } from '../versions/release.ts'
import { answerAsked } from './answer.ts'
import { readAsked } from './ask.ts'
import type { Came } from './change.ts'
import { drive, how } from './drive.ts'
import type { Ground } from './ground.ts'
import { readUpdate, type Update, writeUpdate } from './journal.ts'
import { appliedOf } from './now.ts'
import { found } from './start.ts'
import { onceReadable, type Updates } from './unread.ts'
import { judgeWish, lifts, type Verdict } from './wish.ts'

/** Between any two attempts, whatever the service names in between. */
const leastSeconds = 60
/** What the disk did not take is written again after so long. */
const againSeconds = 60

export interface Hands {
  readonly say: (line: string) => void
  readonly look: () => void
  readonly process: () => ProcessState
  readonly manifest: () => Promise<Manifest | undefined>
  /** Why this process cannot restart the agent on another version; undefined when it can. */
  readonly cannot?: string | undefined
}

/** Undefined in a folder that was not installed from a blueprint. */
export function updates(folder: Folder, running: string, stop: AbortSignal, hands: Hands): Updates | undefined {
  if (!folder.installed) return undefined
  return onceReadable(folder, stop, hands.say, () => {
    const install = readInstall(folder)
    const name = leadsTo(folder)
    if (install?.is !== 'installed' || name === undefined) return undefined
    return known(folder, install.blueprint, { version: running, sha256: name }, stop, hands)
  })
}

/** From what the journal says on. */
function known(folder: Folder, blueprint: string, inPlace: Release, stop: AbortSignal, hands: Hands): Updates {
  const { say, look, process, manifest, cannot } = hands
  const first = readUpdate(folder)
  let now: Update = found(first, inPlace, how())
  let desired: ReceivedAnswer['desired']
  let told: Verdict = 'none'
  let began = Number.NEGATIVE_INFINITY
  let deaths = 0
  let exit = exitAt(process())
  let attempt = new AbortController()
  /** The version that it is about. */
  let aim: string | undefined
  let unsaved: NodeJS.Timeout | undefined

  function save(next: Update): string | undefined {
    now = next
    clearTimeout(unsaved)
    try {
      writeUpdate(folder, now)
      return undefined
    } catch (error) {
      const why = `the journal of updates could not be written: ${messageOf(error)}`
      say(why)
      if (!stop.aborted) unsaved = setTimeout(() => save(now), duration(againSeconds)).unref()
      return why
    }
  }

  const verdictNow = (): Verdict => judgeWish(desired, blueprint, now, Date.now(), how().scale)

  /** What the service wishes, if it can be begun now. */
  function wish(): Came | undefined {
    const verdict = verdictNow()
    tellVerdict(verdict)
    const version = desired?.version
    if (version === undefined || (verdict !== 'wanted' && verdict !== 'present')) return undefined
    if (cannot !== undefined || busyWith(folder) === 'runtime update') return undefined
    if (performance.now() - began < duration(leastSeconds)) return undefined
    const { previous } = now
    const here = verdict === 'present' && previous !== undefined && isHere(folder, previous.sha256)
    if (verdict === 'present' && !here && now.state !== 'idle') return undefined
    began = performance.now()
    attempt = new AbortController()
    aim = version
    return here && previous ? { event: 'present', to: previous } : { event: 'wanted', to: { version, sha256: '' } }
  }

  function tellVerdict(verdict: Verdict): void {
    if (verdict === told) return
    told = verdict
    const wished = `update to ${desired?.version}`
    if (verdict === 'foreign') say(`${wished} is of ${desired?.blueprint}, and this is ${blueprint}: ignored`)
    if (verdict === 'held') say(`${wished} is wished, and on hold here: ${now.hold?.reason}`)
    if (verdict === 'looping')
      say(`${wished} went back three times in a day; "${plainHint('unhold')}" lets it be tried again`)
    if ((verdict === 'wanted' || verdict === 'present') && cannot) say(`${wished} is wished, but ${cannot}`)
  }

  const stands = (): boolean => desired?.blueprint === blueprint && desired.version === aim
  const ground: Ground = {
    folder,
    blueprint,
    stop,
    attempt: () => AbortSignal.any([stop, attempt.signal]),
    say,
    process,
    deaths: () => deaths,
    manifest,
    now: () => now,
    wish,
    asked: () => answerAsked(folder, now, save, say),
    look,
    save,
    bundle: {},
  }

  if (now !== first && (first || now.state !== 'idle')) save(now)
  if (now.applied && now.applied !== first?.applied) say(`update ${now.applied.message}`)
  const asks = setInterval(() => unsettled(now) && readAsked(folder) && attempt.abort(), Math.min(duration(1), 1000))
  const over = drive(ground)
    .catch((error: unknown) => say(`updates have ended: ${error instanceof Error ? error.stack : String(error)}`))
    .finally(() => {
      clearInterval(asks)
      clearTimeout(unsaved)
    })

  return {
    heard: (answer) => {
      desired = answer.desired
      if (lifts(desired, blueprint, now)) {
        say(`update to ${now.hold?.version} is on hold no more`)
        const { hold: _, ...rest } = now
        save(rest)
      }
      if (!stands()) attempt.abort() // D31: taken back before the swap; after it nobody looks at that
    },
    changed: (state) => {
      const at = exitAt(state)
      if (at !== undefined && at !== exit) deaths++
      exit = at ?? exit
    },
    applied: () => appliedOf(now),
    health: () => healthOf(now),
    over,
  }
}

/** Nothing is changed yet: a wish can still be taken back. */
const unsettled = ({ state }: Update): boolean => state === 'fetching' || state === 'staging'

/** When the process died by itself; an end that was asked for, and one with code 0, is no death. */
function exitAt(state: ProcessState): number | undefined {
  if (!('exit' in state) || !state.exit || state.exit.code === 0) return undefined
  const own = state.is === 'waiting' || state.because === 'ended'
  return own ? state.exit.at : undefined
}

function healthOf({ state, running, to }: Update): HealthItem[] {
  if (state !== 'swapping' && state !== 'proving') return []
  return [{ name: 'Update', level: 'info', detail: `${running.version} -> ${to?.version}: on proof.` }]
}
