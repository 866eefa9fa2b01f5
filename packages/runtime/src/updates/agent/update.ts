/**
 * Updates the agent's version (3.3) as the service wishes or people on this machine request (listening.ts). An update
 * changes the link `current`; the launcher notices that and restarts the agent.
 */
import type { Manifest } from '@svc/blueprint'
import type { HealthItem } from '@svc/protocol'
import { messageOf } from '../../machine/base/errors.ts'
import { scaledMs } from '../../machine/base/time.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { readInstall } from '../../state/install-note.ts'
import type { ProcessState } from '../../state/process-note.ts'
import { busyWith } from '../../state/versions/busy.ts'
import { currentVersionFolder, hasVersion } from '../../state/versions/folders.ts'
import type { VersionRef } from '../../state/versions/version-ref.ts'
import { answerAsked, readAskedUpdate } from './ask.ts'
import type { UpdateStepResult } from './change.ts'
import { driveUpdates, stepMoment } from './drive.ts'
import { readUpdate, type Update, writeUpdate } from './journal.ts'
import { initialListening, isUnsettled, type ListeningAct, type ListeningEvent, step } from './listening.ts'
import { appliedOf } from './now.ts'
import { stateAtStart } from './start.ts'
import { type AgentUpdater, beginOnceReadable } from './unread.ts'

/** The minimum seconds between the starts of two updates that the service wishes, even to different versions. */
const minApartSeconds = 60
/** The seconds after which a write of the journal that the disk refused is repeated. */
const againSeconds = 60

interface UpdateHost {
  readonly say: (line: string) => void
  readonly look: () => void
  readonly process: () => ProcessState
  readonly manifest: () => Promise<Manifest | undefined>
  /** Why this process cannot restart the agent with another version; undefined if it can. */
  readonly cannot?: string | undefined
}

interface ListenerSettings {
  readonly blueprint: string
  readonly inPlace: VersionRef
  readonly stop: AbortSignal
}

/**
 * Starts to handle the updates of an agent's version. Returns undefined if the agent was not installed from a
 * blueprint, if its installation was not completed, or if `current` leads to no version.
 */
export function startUpdater(
  folder: Folder,
  running: string,
  stop: AbortSignal,
  hands: UpdateHost,
): AgentUpdater | undefined {
  if (!folder.installed) return undefined
  return beginOnceReadable(folder, stop, hands.say, () => {
    const install = readInstall(folder)
    const name = currentVersionFolder(folder)
    if (install?.is !== 'installed' || name === undefined) return undefined
    return listen(folder, { blueprint: install.blueprint, inPlace: { version: running, sha256: name }, stop }, hands)
  })
}

/** Continues the update that the journal describes, if there is one, and then handles all later ones. */
function listen(folder: Folder, place: ListenerSettings, hands: UpdateHost): AgentUpdater {
  const { say } = hands
  const first = readUpdate(folder)
  const { on, now, save, wish, attempt, end } = listener(
    folder,
    place,
    hands,
    stateAtStart(first, place.inPlace, stepMoment()),
  )
  const { applied, state } = now().update
  if (now().update !== first && (first || state !== 'idle')) save(now().update)
  if (applied && applied !== first?.applied) say(`update ${applied.message}`)
  const hasAsked = () => isUnsettled(now().update) && readAskedUpdate(folder) !== undefined
  const asks = setInterval(() => hasAsked() && attempt().abort(), Math.min(scaledMs(1), 1000))
  const over = driveUpdates({
    ...hands,
    folder,
    blueprint: place.blueprint,
    stop: place.stop,
    attempt: () => AbortSignal.any([place.stop, attempt().signal]),
    deaths: () => now().deaths,
    now: () => now().update,
    wish,
    asked: () => answerAsked(folder, now().update, save, say),
    save,
    bundle: {},
  })
    .catch((error: unknown) => say(`updates have ended: ${error instanceof Error ? error.stack : String(error)}`))
    .finally(() => {
      clearInterval(asks)
      end()
    })
  return {
    heard: ({ desired }) => on({ is: 'answer', desired }),
    changed: (state) => on({ is: 'process', state }),
    applied: () => appliedOf(now().update),
    health: () => healthOf(now().update),
    over,
  }
}

/** Performs the acts that listening.ts decides on. */
function listener(
  folder: Folder,
  { blueprint, stop }: ListenerSettings,
  { say, process, cannot }: UpdateHost,
  update: Update,
) {
  let now = initialListening(update, process())
  let attempt = new AbortController()
  let later: NodeJS.Timeout | undefined
  let unsaved: string | undefined
  let began: UpdateStepResult | undefined
  function on(event: ListeningEvent): void {
    const { at: wall, scale } = stepMoment()
    const rules = { blueprint, minApart: scaledMs(minApartSeconds), scale, cannot }
    const { state, acts } = step(now, event, rules, { wall, mono: performance.now() })
    now = state
    for (const act of acts) perform[act.do](act as never)
  }
  const perform: { readonly [K in ListeningAct['do']]: (act: Extract<ListeningAct, { do: K }>) => void } = {
    say: ({ line }) => say(line),
    save: () => {
      clearTimeout(later)
      unsaved = written(folder, now.update)
      if (unsaved !== undefined) on({ is: 'unsaved', why: unsaved })
    },
    'save later': () => {
      if (!stop.aborted) later = setTimeout(() => perform.save({ do: 'save' }), scaledMs(againSeconds)).unref()
    },
    'check disk': ({ previous }) => {
      const here = previous !== undefined && hasVersion(folder, previous.sha256)
      on({ is: 'seen', busy: busyWith(folder) === 'runtime update', here })
    },
    begin: ({ came }) => {
      attempt = new AbortController()
      began = came
    },
    abort: () => attempt.abort(),
  }
  return {
    on,
    now: () => now,
    attempt: () => attempt,
    /** Writes the update to the journal. If that fails, returns why; the write is repeated later. */
    save: (update: Update): string | undefined => {
      on({ is: 'changed', update })
      return unsaved
    },
    /** Returns the start of the update that the service wishes, if it can be started now. */
    wish: (): UpdateStepResult | undefined => {
      began = undefined
      on({ is: 'idle' })
      return began
    },
    end: () => clearTimeout(later),
  }
}

/** Writes the journal. If the disk refuses, returns why. */
function written(folder: Folder, update: Update): string | undefined {
  try {
    writeUpdate(folder, update)
    return undefined
  } catch (error) {
    return `the journal of updates could not be written: ${messageOf(error)}`
  }
}

function healthOf({ state, running, to }: Update): HealthItem[] {
  if (state !== 'swapping' && state !== 'proving') return []
  return [{ name: 'Update', level: 'info', detail: `${running.version} -> ${to?.version}: on proof.` }]
}
