import type { FleetUpdates } from '@svc/api'
import { IconLock, IconPin, IconRefreshDot } from '@tabler/icons-react'
import { wishWords } from '../updates/parts/words.ts'

/** What is particular about an agent's runtime: wished, held or pinned. Most lines have none of it. */
export function RuntimeMark({ updates }: { updates: FleetUpdates }) {
  const { runtimeHeld, runtimePinned, runtimeWished, runtimeWishState } = updates
  const [Icon, words] = runtimeHeld
    ? [IconLock, 'The runtime that is served is on hold for it']
    : runtimeWished !== null
      ? [IconRefreshDot, `Runtime ${runtimeWished} is wished: ${wishWords[runtimeWishState].word}`]
      : runtimePinned !== null
        ? [IconPin, `Its runtime is pinned to ${runtimePinned} on its machine`]
        : []
  if (!Icon) return null
  return (
    <span className="fleet-mark" title={words}>
      <Icon size={14} aria-hidden />
      <span className="svc-hidden">{words}</span>
    </span>
  )
}
