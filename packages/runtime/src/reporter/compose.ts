/** A report put together from what is known at this moment (2.1). Pure: everything comes in. */
import { type Manifest, settingsSchema } from '@svc/blueprint'
import {
  type Account,
  type Ack,
  type HealthItem,
  protocolVersion,
  type Report,
  type SettingValues,
  type State,
  type StatusFile,
} from '@svc/protocol'
import { byWhom } from '../state/changes.ts'
import type { Pause } from '../state/pause.ts'
import { moment } from '../time.ts'

export interface Parts {
  readonly manifest: Manifest
  readonly status: StatusFile
  /** What the runtime itself has to say. */
  readonly health: readonly HealthItem[]
  readonly values: SettingValues
  readonly pause?: Pause | undefined
  readonly acks: readonly Ack[]
  readonly account?: Account | undefined
  readonly host: string
  readonly runtimeVersion: string
  readonly boot: string
  readonly seq: number
}

export function compose(parts: Parts): Report {
  const { manifest, status, pause, acks, account } = parts
  const { agent, state, health = [], ...rest } = status
  const all = [...parts.health, ...health]
  return {
    protocol: protocolVersion,
    boot: parts.boot,
    seq: parts.seq,
    agent: { version: agent?.version ?? manifest.version, host: parts.host },
    ...(pause ? { state: pausedState(pause, status) } : state && { state }),
    ...(all.length > 0 && { health: all }),
    ...rest,
    ...(manifest.settings.length > 0 && { settings: { schema: settingsSchema(manifest), values: parts.values } }),
    controls: [...manifest.controls],
    acks: [...acks],
    runtime: { version: parts.runtimeVersion },
    ...(account && { account }),
  }
}

/** 2.11: the pause is the truth, whatever the agent wrote last. Somebody else starts it, so it may still be finishing: that is said. */
function pausedState({ since, author }: Pause, { active = [] }: StatusFile): State {
  const still =
    active.length > 0 ? ` ${active.length === 1 ? 'One run is' : `${active.length} runs are`} still finishing.` : ''
  return {
    level: 'info',
    label: 'Paused',
    detail: `Since ${moment(since)}${author ? `, ${byWhom(author)}` : ''}.${still}`,
  }
}
