import type { FleetUpdates } from '@svc/api'
import { IconLock, IconPin, IconRefreshDot } from '@tabler/icons-react'
import { wishWords } from '../updates/parts/words.ts'

/** Marks an agent whose runtime has a requested, held or pinned version. Most rows have no mark. */
export function RuntimeMark({ updates }: { updates: FleetUpdates }) {
  const { runtimeHeld, runtimePinned, runtimeWished, runtimeWishState } = updates
  const [Icon, words] = runtimeHeld
    ? [IconLock, 'The served runtime version is on hold for this agent']
    : runtimeWished !== null
      ? [IconRefreshDot, `Runtime ${runtimeWished} requested: ${wishWords[runtimeWishState].word}`]
      : runtimePinned !== null
        ? [IconPin, `Runtime pinned to ${runtimePinned} on its machine`]
        : []
  if (!Icon) return null
  return (
    <span className="fleet-mark" title={words}>
      <Icon size={14} aria-hidden />
      <span className="svc-hidden">{words}</span>
    </span>
  )
}
