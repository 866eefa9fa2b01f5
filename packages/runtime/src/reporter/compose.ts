/**
 * Composes a report from what is known at this moment (2.1). The functions are pure: everything they use is an
 * argument.
 */
import type { Manifest } from '@svc/blueprint'
import { settingsSchema } from '@svc/blueprint/settings'
import {
  type Ack,
  type AgentAccount,
  type AppliedUpdate,
  type HealthItem,
  pausedLabel,
  protocolVersion,
  type Report,
  type RuntimeInfo,
  type SettingValues,
  type State,
  type StatusFile,
  type StoppedBy,
} from '@svc/protocol'
import { timeText } from '../machine/base/time.ts'
import type { Halt } from '../machine/process/identity.ts'
import { type Author, changedBy } from '../state/changes.ts'
import type { Pause } from '../state/controls.ts'
import { notRunning, processHealth } from '../state/process-health.ts'
import type { ProcessState } from '../state/process-note.ts'
import { stopSentence } from '../state/stop-note.ts'

/** The facts from which a report is composed. */
export interface ReportParts {
  readonly manifest: Manifest
  readonly status: StatusFile
  /** The health items that the runtime adds, besides those about the agent's process and the bindings. */
  readonly health: readonly HealthItem[]
  readonly values: SettingValues
  readonly pause?: Pause | undefined
  readonly acks: readonly Ack[]
  readonly account?: AgentAccount | undefined
  readonly host: string
  readonly runtime: RuntimeInfo
  readonly boot: string
  readonly seq: number
  /** The state of the agent's process; present if the runtime itself starts the agent. */
  readonly process?: ProcessState | undefined
  /** Why the agent's process does nothing although it exists (D65). */
  readonly halt?: Halt | undefined
  /** Who stopped the agent; present only in the last report (D66). */
  readonly stop?: { readonly by: StoppedBy; readonly author: Author | undefined } | undefined
  /**
   * When the agent wrote its status, in Unix seconds; undefined while the agent is paused or does not run, and if it
   * has written no valid status (D65).
   */
  readonly statusAt?: number | undefined
  /** True if the status is older than usual (D67). */
  readonly statusOld?: boolean | undefined
  /** The outcome of the last update; present if the agent was installed from a blueprint (2.5). */
  readonly applied?: AppliedUpdate | undefined
  /**
   * The health of the bindings (3.7). It is separate from the other health items, because it never counts toward the
   * agent's own level (D27).
   */
  readonly bindings?: readonly HealthItem[] | undefined
}

export function composeReport(parts: ReportParts): Report {
  const { manifest, status, pause, acks, account, process, applied } = parts
  const { agent, state: said, health = [], active, ...rest } = status
  const up = process === undefined || process.is === 'running' || process.is === 'stopping'
  const running = up && active ? { active } : {}
  const state = pause
    ? pausedState(pause, running, process)
    : ((process && notRunningState(process, parts.stop)) ?? said)
  const all = [
    ...(process ? [processHealth(process, parts.halt)] : []),
    ...parts.health,
    ...(parts.bindings ?? []),
    ...health,
  ]
  return {
    protocol: protocolVersion,
    boot: parts.boot,
    seq: parts.seq,
    // The reported version of an installed agent is that of its blueprint (2.5).
    agent: { version: applied?.version ?? agent?.version ?? manifest.version, host: parts.host },
    ...(state && { state }),
    ...(all.length > 0 && { health: all }),
    ...running,
    ...rest,
    ...(manifest.settings.length > 0 && { settings: { schema: settingsSchema(manifest), values: parts.values } }),
    controls: [...manifest.controls],
    acks: [...acks],
    ...(applied && { applied }),
    runtime: parts.runtime,
    ...(account && { account }),
    ...(parts.statusAt !== undefined && { status_at: parts.statusAt }),
    ...(parts.statusOld !== undefined && { status_old: parts.statusOld }),
    ...(parts.stop && { stopped: parts.stop.by }),
  }
}

/** The state of an agent whose process does not run. If somebody stopped it, the detail says who. */
function notRunningState(process: ProcessState, stop: ReportParts['stop']): State | undefined {
  const state = notRunning(process)
  const stopped = stop && process.is === 'stopped' && process.because === 'asked'
  return state && stopped ? { ...state, detail: stopSentence(stop.by, stop.author) } : state
}

/**
 * The state of a paused agent (2.11). The report says that the agent is paused, whatever the agent itself wrote last.
 * If the agent is still finishing its work, the detail says so.
 */
function pausedState({ since, author }: Pause, { active = [] }: StatusFile, process: ProcessState | undefined): State {
  const runs = active.length === 1 ? ' One run is still finishing.' : ` ${active.length} runs are still finishing.`
  const still = process?.is === 'stopping' ? ' Its process is still ending.' : active.length > 0 ? runs : ''
  return {
    level: 'info',
    label: pausedLabel,
    detail: `Since ${timeText(since)}${author ? `, ${changedBy(author)}` : ''}.${still}`,
  }
}
