import type { Level as LevelName } from '@svc/protocol'
import {
  IconAlertTriangleFilled,
  IconCircleCheckFilled,
  IconCircleDashed,
  IconExclamationCircleFilled,
  IconInfoCircleFilled,
  IconPlayerStopFilled,
  IconPlugConnectedX,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import './level.css'

type ShownLevel = LevelName | 'offline' | 'stopped' | 'never' | 'none'

interface LevelLook {
  icon: ComponentType<{ size?: number; 'aria-hidden'?: boolean }>
  words: string
}

/** How each level looks: always with an icon, words and a colour, never with colour alone. */
export const levelLooks: Record<ShownLevel, LevelLook> = {
  ok: { icon: IconCircleCheckFilled, words: 'OK' },
  info: { icon: IconInfoCircleFilled, words: 'Info' },
  warn: { icon: IconAlertTriangleFilled, words: 'Warning' },
  bad: { icon: IconExclamationCircleFilled, words: 'Bad' },
  offline: { icon: IconPlugConnectedX, words: 'Offline' },
  stopped: { icon: IconPlayerStopFilled, words: 'Stopped' },
  never: { icon: IconCircleDashed, words: 'Never reported' },
  none: { icon: IconCircleDashed, words: 'No status yet' },
}

interface LevelProps {
  level: LevelName | null | undefined
  /**
   * True if the agent is offline. The level is then grey, with words such as "Offline, was OK", because the last report
   * is old (D20).
   */
  offline?: boolean
  /** True if the agent was stopped on its machine (D66). */
  stopped?: boolean
  /**
   * True if the agent's status file is old, so that the level may no longer be right (D65). `late` is true if the file
   * is so old that every level except Bad is shown as Warning.
   */
  old?: boolean
  late?: boolean
  /** True if the agent runs without secrets that its version requires. Every level except Bad is shown as Warning. */
  lacking?: boolean
  /** True if the agent has never reported. */
  never?: boolean
  /** True to show only the icon. The words are still read by screen readers and shown on hover. */
  iconOnly?: boolean
}

/** Shows a level as icon, words and colour, for example the level of an agent, of a health item or of an alert. */
export function Level({ level, iconOnly = false, ...facts }: LevelProps) {
  const shown = shownOf(level, facts)
  const { icon: Icon } = levelLooks[shown]
  const full = wordsOf(level, shown, facts)
  const past = facts.old === true && shown === level && shown !== 'warn' && shown !== 'bad'
  return (
    <span className="svc-level" data-level={shown} data-past={past} title={iconOnly ? full : undefined}>
      <Icon size={15} aria-hidden />
      {iconOnly ? <span className="svc-hidden">{full}</span> : <span>{full}</span>}
    </span>
  )
}

type LevelFacts = Omit<LevelProps, 'level' | 'iconOnly'>

function shownOf(level: LevelProps['level'], { never, stopped, offline, late, lacking }: LevelFacts): ShownLevel {
  if (never) return 'never'
  if (stopped) return 'stopped'
  if (offline) return 'offline'
  return (late || lacking) && level !== 'bad' ? 'warn' : (level ?? 'none')
}

function wordsOf(level: LevelProps['level'], shown: ShownLevel, { late, old, lacking }: LevelFacts): string {
  const { words } = levelLooks[shown]
  if (shown === 'offline') return level ? `Offline, was ${levelLooks[level].words}` : words
  if (shown === 'never' || shown === 'stopped') return words
  if (late) return level ? `Old status, was ${levelLooks[level].words}` : 'Old status'
  if (lacking) return level ? `Missing secrets, says ${levelLooks[level].words}` : 'Missing secrets'
  return old && level ? `Was ${words}` : words
}
