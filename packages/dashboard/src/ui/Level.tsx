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

type Shown = LevelName | 'silent' | 'stopped' | 'never' | 'none'

interface LevelLook {
  icon: ComponentType<{ size?: number; 'aria-hidden'?: boolean }>
  words: string
}

/** The look of each level: always icon, words and colour, never colour alone. */
export const looks: Record<Shown, LevelLook> = {
  ok: { icon: IconCircleCheckFilled, words: 'OK' },
  info: { icon: IconInfoCircleFilled, words: 'Info' },
  warn: { icon: IconAlertTriangleFilled, words: 'Warning' },
  bad: { icon: IconExclamationCircleFilled, words: 'Bad' },
  silent: { icon: IconPlugConnectedX, words: 'Offline' },
  stopped: { icon: IconPlayerStopFilled, words: 'Stopped' },
  never: { icon: IconCircleDashed, words: 'Never reported' },
  none: { icon: IconCircleDashed, words: 'No status yet' },
}

interface LevelProps {
  level: LevelName | null | undefined
  /** It has not reported for too long. Its last report is past, so it is grey and reads "was OK" (D20). */
  silent?: boolean
  /** It was stopped on its machine (D66). */
  stopped?: boolean
  /** Its status is old, so it may be past (D65). `late` when it is too old, which is a warning by itself. */
  old?: boolean
  late?: boolean
  /** It runs without secrets that its version requires. */
  lacking?: boolean
  /** It has never reported. */
  never?: boolean
  /** Shows only the icon. The words stay for screen readers and on hover. */
  iconOnly?: boolean
}

/** A level as icon, words and colour. */
export function Level({ level, iconOnly = false, ...facts }: LevelProps) {
  const shown = shownOf(level, facts)
  const { icon: Icon } = looks[shown]
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

function shownOf(level: LevelProps['level'], { never, stopped, silent, late, lacking }: LevelFacts): Shown {
  if (never) return 'never'
  if (stopped) return 'stopped'
  if (silent) return 'silent'
  return (late || lacking) && level !== 'bad' ? 'warn' : (level ?? 'none')
}

function wordsOf(level: LevelProps['level'], shown: Shown, { late, old, lacking }: LevelFacts): string {
  const { words } = looks[shown]
  if (shown === 'silent') return level ? `Offline, was ${looks[level].words}` : words
  if (shown === 'never' || shown === 'stopped') return words
  if (late) return level ? `Old status, was ${looks[level].words}` : 'Old status'
  if (lacking) return level ? `Missing secrets, says ${looks[level].words}` : 'Missing secrets'
  return old && level ? `Was ${words}` : words
}
