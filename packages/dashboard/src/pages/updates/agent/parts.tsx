import type { Hold, LastOutcome, StandingWish, WaitsFor } from '@svc/api'
import type { ReactNode } from 'react'
import { AnchorLink } from '../../../links.tsx'
import { paths } from '../../../paths.ts'
import { Text, Time } from '../../../ui/index.ts'
import { LastAttempt, reasonIn } from '../parts/LastAttempt.tsx'

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

/** Why a wish that stands has no outcome yet, and what ends the waiting. */
export function Waits({ waits }: { waits: WaitsFor | null }) {
  return waits && <p className="up-waits">{waitsWords(waits)}</p>
}

function waitsWords(waits: WaitsFor): ReactNode {
  switch (waits.for) {
    case 'first_report':
      return 'It has never reported: it is told with the answer to its first report.'
    case 'silent':
      return (
        <>
          It is offline, and last reported <Time at={waits.since} />: nothing is known of it until it reports again.
        </>
      )
    case 'node':
      return 'It has reported since, to a part of the service that was about to stop and tells nobody. The next one tells it.'
    case 'trials':
      return `Its rollout starts a trial while fewer than ${waits.most} runtimes of this workspace are on trial. Now ${trials(waits.now)}.`
    case 'window':
      return (
        <>
          It watches the version that it took last for half an hour of running, to go back if it gets worse. It takes
          the next one after that: <Time at={waits.until} /> at the earliest.
        </>
      )
    case 'runtime_trial':
      return 'Its runtime is on trial, for at most a few minutes: it begins after that.'
    case 'blueprint_trial':
      return 'It is trying a version of its blueprint: it begins after that.'
    case 'fetch':
      return 'It has reported since it was told, and has not begun. It may be busy with something else, or may not reach the download, which it tries again by itself.'
  }
}

const trials = (now: number): string => (now === 1 ? 'one is' : `${now} are`)

/** What the machine says of its last attempt. */
export const outcomeText = (applied: LastOutcome | null): ReactNode =>
  applied && (applied.outcome || applied.message) ? <LastAttempt applied={applied} /> : undefined

export const HoldNote = ({ hold, children }: { hold: Hold; children: ReactNode }) => (
  <div className="up-hold" role="note">
    <p>
      <strong>
        <Text>{hold.version}</Text> is on hold
      </strong>
      : it {hold.outcome === 'failed' ? 'failed' : 'was rolled back'}, <Time at={hold.since} />.
    </p>
    {hold.message !== null && (
      <p>
        The machine says: <Text>{reasonIn(hold.message)}</Text>
      </p>
    )}
    {children}
  </div>
)
