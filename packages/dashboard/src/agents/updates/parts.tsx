import type { CurrentWish, Hold, LastOutcome, WaitReason } from '@svc/api'
import type { ReactNode } from 'react'
import { paths } from '../../paths.ts'
import { Text, Time } from '../../ui/index.ts'
import { AnchorLink } from '../../ui/links.tsx'
import { LastAttempt } from '../../updates/parts/LastAttempt.tsx'
import { reasonIn, reasonSentence } from '../../updates/parts/reasons.ts'

/** Shows who requested a version, when it was requested and sent, and the rollout that the request is part of. */
export const WishLine = ({ slug, wish }: { slug: string; wish: CurrentWish }) => (
  <span>
    by <Text>{wish.wishedBy}</Text>, <Time at={wish.wishedAt} />
    {wish.offeredAt !== null && (
      <>
        ; sent <Time at={wish.offeredAt} />
      </>
    )}
    {wish.rollout !== null && (
      <>
        ; part of a{' '}
        <AnchorLink to={paths.rollout} params={{ slug, id: wish.rollout }} underline="always">
          rollout
        </AnchorLink>
      </>
    )}
  </span>
)

/** Shows why a requested version has no outcome yet; nothing without a reason. */
export function WaitText({ waits }: { waits: WaitReason | null }) {
  return waits && <p className="up-note">{waitsWords(waits)}</p>
}

function waitsWords(waits: WaitReason): ReactNode {
  switch (waits.for) {
    case 'first_report':
      return 'It has never reported. The request is sent in the answer to its first report.'
    case 'silent':
      return (
        <>
          It is offline. Its last report was <Time at={waits.since} />.
        </>
      )
    case 'node':
      return 'It has reported since, to a service process that was shutting down and sends no new requests. The next report gets it.'
    case 'trials':
      return `Its rollout tests at most ${waits.most} runtimes of this workspace at a time; ${trials(waits.now)} being tested now.`
    case 'window':
      return (
        <>
          It watches <Text>{waits.version}</Text> for half an hour of running time, so that it can roll back if health
          gets worse. The next update starts <Time at={waits.until} /> at the earliest.
        </>
      )
    case 'runtime_trial':
      return 'Its runtime is being tested. This update starts when the test ends, within a few minutes.'
    case 'blueprint_trial':
      return 'It is testing a blueprint version. This update starts after that.'
    case 'fetch':
      return 'It has reported since the request was sent, but has not started. It may be busy, or unable to reach the download, which it retries by itself.'
    case 'report':
    case 'wave':
    case 'approval':
    case 'hold':
      return null // only agents of a rollout wait for these
  }
}

const trials = (now: number): string => (now === 1 ? 'one is' : `${now} are`)

/** True for the outcome of an installation. `outcomeText` leaves it out, because the timeline shows it. */
const isInstalled = ({ outcome, message }: LastOutcome): boolean => outcome === 'ok' && message === 'installed'

/**
 * Shows how the agent's last update ended, with the message from its machine. Shows nothing without an update, for the
 * installation, and if the note about the hold has the same message.
 */
export const outcomeText = (applied: LastOutcome | null, hold: Hold | null): ReactNode =>
  applied &&
  (applied.outcome || applied.message) &&
  !isInstalled(applied) &&
  !(hold && applied.message === hold.message) ? (
    <LastAttempt applied={applied} shown={hold?.message == null ? undefined : reasonIn(hold.message)} />
  ) : undefined

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
        The machine says: <Text>{reasonSentence(hold.message)}</Text>
      </p>
    )}
    {children}
  </div>
)
