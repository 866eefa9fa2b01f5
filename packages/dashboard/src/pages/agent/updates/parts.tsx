import type { Hold, LastOutcome, StandingWish } from '@svc/server/api'
import type { ReactNode } from 'react'
import { AnchorLink } from '../../../links.tsx'
import { paths } from '../../../paths.ts'
import { Text, Time } from '../../../ui/index.ts'

/** Whose wish it is, and since when. */
export const WishLine = ({ slug, wish }: { slug: string; wish: StandingWish }) => (
  <span>
    <Text>{wish.version}</Text>{' '}
    <span className="svc-quiet">
      wished by <Text>{wish.wishedBy}</Text>, <Time at={wish.wishedAt} />
      {wish.offeredAt !== null && (
        <>
          ; told <Time at={wish.offeredAt} />
        </>
      )}
      {wish.rollout !== null && (
        <>
          ; by a{' '}
          <AnchorLink to={paths.rollout} params={{ slug, id: wish.rollout }} fz="xs">
            rollout
          </AnchorLink>
        </>
      )}
    </span>
  </span>
)

const outcomes = { ok: 'ok', rolled_back: 'rolled back', failed: 'failed' } as const

/** What the machine says of its last attempt, in its own words. */
export const outcomeText = (applied: LastOutcome | null): string | undefined =>
  applied === null
    ? undefined
    : [applied.outcome && outcomes[applied.outcome], applied.message].filter(Boolean).join(': ') || undefined

export const HoldNote = ({ hold, children }: { hold: Hold; children: ReactNode }) => (
  <div className="up-hold" role="note">
    <p>
      <strong>
        <Text>{hold.version}</Text> is on hold
      </strong>{' '}
      since <Time at={hold.since} />: it {hold.outcome === 'failed' ? 'failed' : 'was rolled back'}.
    </p>
    {hold.message !== null && (
      <p>
        The machine says: <Text>{hold.message}</Text>
      </p>
    )}
    {children}
  </div>
)
