/**
 * Collects all facts about an agent that the machine knows without asking the service. `svc status` and `svc why` show
 * them.
 */
import type { Manifest } from '@svc/blueprint'
import { type Desired, type HealthItem, readAnswer } from '@svc/protocol'
import { faultOfUnits } from '../../install/service/mend.ts'
import { type ProcessNow, processNow } from '../../launcher/now.ts'
import { agoText } from '../../machine/base/time.ts'
import { readConnection, whyEnvUnreadable } from '../../machine/files/env.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { whoHolds } from '../../machine/files/lock.ts'
import { commandHint } from '../../machine/hint.ts'
import { bindingHealth } from '../../reporter/bindings.ts'
import { owedAcks, readJournal } from '../../reporter/commands/journal.ts'
import { type Outbox, readOutbox } from '../../reporter/outbox.ts'
import { ageItem, isStatusOld, recordSingleCheck } from '../../reporter/status/age.ts'
import { diskHealth } from '../../reporter/status/disk.ts'
import { readStatus } from '../../reporter/status/file.ts'
import { statusAfterRead } from '../../reporter/status/keep.ts'
import { readWrites } from '../../reporter/status/writes.ts'
import { type Changes, readChanges } from '../../state/changes.ts'
import { isRunRequested, readPause } from '../../state/controls.ts'
import { readInstall } from '../../state/install-note.ts'
import { machinePathOf } from '../../state/paths.ts'
import { unsetSecrets } from '../../state/secrets.ts'
import { readStop } from '../../state/stop-note.ts'
import { readUpdate } from '../../updates/agent/journal.ts'
import { whyNoUpdates } from '../../updates/agent/unread.ts'
import { runtimeFacts } from '../../updates/runtime/now.ts'
import type { AgentOnDisk } from '../kit/folder.ts'

interface StatusAge {
  /** The health item about the age of the agent's status file (D65); undefined while the file is new. */
  readonly item: HealthItem | undefined
  /** True if the file is older than usual, so that the state in it may no longer be true (D67). */
  readonly old: boolean
}

/**
 * Returns the age of the agent's status file. Undefined if the file cannot be read, or if the agent is paused or its
 * process is not running, because then the age means nothing.
 */
export function statusAge(folder: Folder, manifest: Manifest): StatusAge | undefined {
  const file = manifest.status
  const read = file === undefined ? undefined : readStatus(folder, machinePathOf(folder, manifest, file))
  if (read?.is !== 'bytes' || isResting(folder, manifest)) return undefined
  const now = Date.now()
  const writes = recordSingleCheck(readWrites(folder), read.mtimeMs, now)
  return { item: ageItem(writes, now), old: isStatusOld(writes, now) }
}

/** True if the agent is paused or its process is not running. */
function isResting(folder: Folder, manifest: Manifest): boolean {
  if (readPause(folder)) return true
  const process = manifest.runtime ? processNow(folder) : undefined
  return process !== undefined && !(process.alive && process.state.is === 'running')
}

/** Reads the facts about the agent from its folder. Nothing is written, and no request is made. */
export function readAgentFacts({ folder, manifest }: AgentOnDisk) {
  const file = manifest.status
  const read = file ? readStatus(folder, machinePathOf(folder, manifest, file)) : undefined
  const status = file && read ? statusAfterRead({ misses: 0 }, read, file, Date.now()) : undefined
  const connection = readConnection(folder)
  const last = readOutbox(folder)
  const changes: Changes = readChanges(folder)
  const process: ProcessNow | undefined = manifest.runtime ? processNow(folder) : undefined
  const age = statusAge(folder, manifest)
  return {
    name: agentName(folder, manifest),
    blueprint: manifest.name,
    version: (folder.installed ? undefined : status?.status.agent?.version) ?? manifest.version,
    /** The note about the installation; undefined if the agent was not installed from a blueprint. */
    install: readInstall(folder),
    /** The versions of the agent and its updates; undefined before the first update. */
    update: folder.installed ? readUpdate(folder) : undefined,
    /** The reason why the version of the agent cannot be changed now; undefined if it can be changed. */
    standstill: folder.installed ? whyNoUpdates(folder) : undefined,
    /** The state of the agent's process; undefined before the first start, and for an agent that svc does not start. */
    process,
    managed: manifest.runtime !== undefined,
    stopped: readStop(folder),
    pause: readPause(folder),
    runNow: isRunRequested(folder),
    changes,
    state: status?.status.state,
    health: [...(status?.health ?? []), ...(age?.item ? [age.item] : []), ...(status?.status.health ?? [])],
    /** The health item about the room on the disk, if there is little. */
    disk: diskHealth(folder),
    /** True if the status file is older than usual, so that the state in it may no longer be true (D67). */
    old: age?.old ?? false,
    /** The health of the agent's bindings to products, as the runtime last saw it (3.7). */
    bindings: bindingHealth(folder, manifest),
    /** Names the required secrets that are not set, and the command that sets one; undefined if none is missing. */
    lacking: manifest.runtime ? lackingSecrets(folder, manifest) : undefined,
    active: status?.status.active ?? [],
    /** When the agent last wrote its status file, in Unix seconds. */
    written: read?.is === 'bytes' ? Math.floor(read.mtimeMs / 1000) : undefined,
    statusFile: file,
    /** Why the status file cannot be read; undefined if it can, or is just absent. */
    unreadStatus: read === undefined || read.is === 'bytes' ? undefined : read.why,
    reporter: whoHolds(folder, 'runtime'),
    /** The fault of the unit that starts the agent; undefined if there is no unit, or no fault. */
    unitFault: faultOfUnits(folder)?.message,
    service: connection.ok ? connection.value.origin : undefined,
    notConnected: connection.ok ? undefined : connection.message,
    /** The blueprint version that the service asked for in its last answer (2.7). */
    desired: desiredIn(last),
    last: last && { sent: last.sent, status: last.status, failure: last.failure, reached: last.reached },
    /** The versions of the runtime in this folder, and the state of the runtime's own update. */
    runtime: runtimeFacts(folder),
    acksWaiting: owedAcks(readJournal(folder)).length,
  }
}
export type AgentFacts = ReturnType<typeof readAgentFacts>

/**
 * Returns the name of the agent in the service. An agent that was not installed with a code has the manifest's name.
 */
export function agentName(folder: Folder, { name }: Manifest): string {
  const install = readInstall(folder)
  return install?.is === 'installed' ? install.agent : name
}

/** Says which required secrets are missing, as a part of a sentence; undefined if none is missing. */
export function lackingSecrets(folder: Folder, { secrets }: Manifest): string | undefined {
  const why = secrets.length === 0 ? undefined : whyEnvUnreadable(folder.secrets)
  if (why !== undefined) return `${folder.secrets} ${why}, so the agent gets none of its secrets`
  const names = unsetSecrets(folder, secrets)
  return names.length === 0 ? undefined : `${names.join(', ')} not set; run "${commandHint(`secrets set ${names[0]}`)}"`
}

function desiredIn(last: Outbox | undefined): Desired | undefined {
  if (last?.answer === undefined || last.failure !== undefined) return undefined
  const answer = readAnswer(Buffer.from(last.answer))
  return answer.ok ? answer.value.desired : undefined
}

/** Says in words whether the agent's reports reach the service. */

export function reportingText({ last }: AgentFacts, now: number): string {
  if (!last) return 'never'
  const reached = last.reached === undefined ? 'never answered' : `last answered ${agoText(now - last.reached)}`
  return last.failure === undefined
    ? reached
    : `${reached}; the last try, ${agoText(now - last.sent)}, failed: ${last.failure}`
}
