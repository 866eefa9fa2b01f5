/** Waits until a runtime runs, after the service manager was asked to start it. */
import { Refusal } from '../../machine/base/errors.ts'
import { timeoutMs, waitUntil } from '../../machine/base/time.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { whoHolds } from '../../machine/files/lock.ts'
import { isAlive } from '../../machine/process/identity.ts'
import { diskHealth } from '../../reporter/status/disk.ts'
import { readPause } from '../../state/controls.ts'
import { readNote } from '../../state/process-note.ts'
import type { ServiceUnit } from './find.ts'
import { systemctl, unitState } from './manager.ts'
import { unitFault } from './mend.ts'

/** The seconds that the runtime of a unit may take until it holds the lock of its folder. */
const beginSeconds = 15
/**
 * A runtime that holds the lock for this many seconds has started, even if it could not note the state of the agent's
 * process.
 */
const heldSeconds = 2

/** The noted state of the agent before its unit is started, for the parameter `before` of `requireStart`. */
export const stateBeforeStart = (folder: Folder): string | undefined => JSON.stringify(readNote(folder)?.state)

/**
 * Waits until the runtime lives and has decided about the agent's process. If there is no runtime, it throws a Refusal
 * that quotes the service manager. Most managers report only that they started a program, and not that it runs.
 */
export async function requireStart(folder: Folder, unit: ServiceUnit, before: string | undefined): Promise<void> {
  let since: number | undefined
  const lasts = (): boolean => {
    if (whoHolds(folder, 'runtime') === undefined) since = undefined
    else since ??= performance.now()
    return since !== undefined && (isStartOver(folder, before) || performance.now() - since > heldSeconds * 1000)
  }
  if ((await waitUntil(timeoutMs(beginSeconds) / 1000, lasts)) || since !== undefined) return
  const fault = unitFault(folder, unit)
  const [disk] = diskHealth(folder)
  throw new Refusal(
    [
      `${unit.name} was started, but the agent's runtime does not run: its service manager says ${await saidBy(unit)}.`,
      fault
        ? `${fault.message}.`
        : `See ${folder.runtimeLog}${unit.kind === 'launchd' ? '' : ` and "${journal(unit)}"`}.`,
      ...(disk ? [disk.detail] : []),
    ].join(' '),
  )
}

/**
 * True once a start is over: the agent's process runs, or its start has failed, or the agent is paused. The note may
 * still name the process of a runtime that was killed, so the process must live.
 */
export function isStartOver(folder: Folder, before: string | undefined): boolean {
  const state = readNote(folder)?.state
  if (!state || readPause(folder)) return state !== undefined
  if (state.is === 'running') return isAlive(state)
  return JSON.stringify(state) !== before && (state.is !== 'waiting' || state.crashes > 0)
}

const journal = ({ kind, name }: ServiceUnit): string =>
  `journalctl ${kind === 'systemd user' ? '--user ' : ''}-u ${name}`

/** The state of a unit in the words of its manager, such as `activating (auto-restart, exit-code, status 203)`. */
async function saidBy(unit: ServiceUnit): Promise<string> {
  const { state } = await unitState(unit)
  if (unit.kind === 'launchd') return state
  const shown = await systemctl(unit, 'show', unit.name, '--property=SubState,Result,ExecMainStatus')
  const value = (key: string) => new RegExp(`^${key}=(.+)$`, 'm').exec(shown.out)?.[1]
  const status = value('ExecMainStatus')
  const more = [value('SubState'), value('Result'), status && `status ${status}`].filter(Boolean)
  return more.length === 0 ? state : `${state} (${more.join(', ')})`
}
