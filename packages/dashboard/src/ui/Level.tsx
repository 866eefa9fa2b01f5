import type { Level as LevelName } from '@svc/protocol'
import {
  IconAlertTriangleFilled,
  IconCircleCheckFilled,
  IconCircleDashed,
  IconExclamationCircleFilled,
  IconInfoCircleFilled,
  IconPlugConnectedX,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import './level.css'

export type Shown = LevelName | 'silent' | 'never' | 'none'

interface Look {
  icon: ComponentType<{ size?: number; 'aria-hidden'?: boolean }>
  words: string
}

/** What each level looks like: always icon and words and colour, never colour alone. */
export const looks: Record<Shown, Look> = {
  ok: { icon: IconCircleCheckFilled, words: 'OK' },
  info: { icon: IconInfoCircleFilled, words: 'Info' },
  warn: { icon: IconAlertTriangleFilled, words: 'Warning' },
  bad: { icon: IconExclamationCircleFilled, words: 'Bad' },
  silent: { icon: IconPlugConnectedX, words: 'Silent' },
  never: { icon: IconCircleDashed, words: 'Never reported' },
  none: { icon: IconCircleDashed, words: 'No level' },
}

export interface LevelProps {
  level: LevelName | null | undefined
  /** It has not reported for too long: what it said last is past, so it is grey and reads "was OK" (D20). */
  silent?: boolean
  /** It has never reported. */
  never?: boolean
  /** The icon only; the words stay for screen readers and on hover. */
  iconOnly?: boolean
}

/** A level as icon, words and colour. */
export function Level({ level, silent = false, never = false, iconOnly = false }: LevelProps) {
  const shown: Shown = never ? 'never' : silent ? 'silent' : (level ?? 'none')
  const { icon: Icon, words } = looks[shown]
  const full = shown === 'silent' && level ? `Silent, was ${looks[level].words}` : words
  return (
    <span className="svc-level" data-level={shown} title={iconOnly ? full : undefined}>
      <Icon size={15} aria-hidden />
      {iconOnly ? <span className="svc-hidden">{full}</span> : <span>{full}</span>}
    </span>
  )
}
