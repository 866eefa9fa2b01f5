import type { ChannelRow } from '@svc/api'
import { Time, Tone } from '../../ui/index.ts'

/** Shows whether a channel is enabled and, if its messages fail, since when. */
export function ChannelState({ enabled, failingSince }: Pick<ChannelRow, 'enabled' | 'failingSince'>) {
  if (!enabled) return <Tone tone="no">disabled</Tone>
  if (failingSince === null) return <Tone tone="good">enabled</Tone>
  return (
    <Tone tone="lost">
      failing since <Time at={failingSince} />
    </Tone>
  )
}
