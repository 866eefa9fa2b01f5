import type { BlueprintUpdate, RolloutKind, RuntimeUpdate, WishState } from '@svc/api'
import { IconArrowRight, IconCheck, IconPointFilled, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { call } from '../../data/api.ts'
import { Facts, type FactsProps, Section, Text, Tone, useConfirm, WhyButton } from '../../ui/index.ts'
import { isOutstanding, wishWords } from '../../updates/parts/looks.ts'
import { type Agent, adminsOnly } from '../parts/agent.ts'
import { HoldNote, WaitText } from './parts.tsx'
import { useUpdates } from './useUpdates.ts'

interface UpdateCardProps {
  title: string
  aside?: ReactNode
  update: BlueprintUpdate | RuntimeUpdate
  /** Quiet text beside the running version. */
  about?: ReactNode
  /** Says how to lift the hold: a button or a sentence. Shown inside the note about the hold. */
  lift: ReactNode
  facts: FactsProps['facts']
  /** The forms to request or cancel a version. */
  children: ReactNode
}

/**
 * Shows the running and the requested version of an agent's blueprint or runtime: the state of the request, the reason
 * for waiting, a hold, further facts, and the forms.
 */
export function UpdateCard({ title, aside, update, about, lift, facts, children }: UpdateCardProps) {
  const { state, says, waits, hold, running, wish } = update
  const { word, tone } = wishWords[state]
  // For a version on hold, the note about the hold replaces the sentence about the request.
  const isHeld = hold !== null && (wish === null || wish.version === hold.version)
  return (
    <Section title={title} aside={aside} flush>
      <div className="up-now" role="status">
        {running !== null && <Text>{running}</Text>}
        {wish && isOutstanding(wish.version, running) && (
          <span className="up-next">
            <IconArrowRight size={16} aria-label="requested:" />
            <Text>{wish.version}</Text>
          </span>
        )}
        {state !== 'none' && <Tone tone={tone}>{word}</Tone>}
        {about && <span className="svc-quiet">{about}</span>}
      </div>
      {state !== 'none' && state !== 'kept' && !isHeld && (
        <p className="up-says">
          <Text>{says}</Text>
        </p>
      )}
      <Steps state={state} of={'blueprint' in update ? 'blueprint' : 'runtime'} />
      <WaitText waits={waits} />
      {hold && <HoldNote hold={hold}>{lift}</HoldNote>}
      <Facts facts={facts} />
      {children}
    </Section>
  )
}

const stepWords = { done: 'done', next: 'next', no: 'it ended here', later: 'not yet' } as const
const stepIcons = { done: IconCheck, next: IconPointFilled, no: IconX, later: undefined } as const

/** The steps of the requested update, with a mark on the step that comes next, or at which the update ended. */
function Steps({ state, of }: Pick<UpdateCardProps['update'], 'state'> & { of: RolloutKind }) {
  const steps = updateStepsOf(state, of)
  return (
    steps && (
      <ol className="up-steps" aria-label="Steps of the update">
        {steps.map(({ name, is, note }) => {
          const Sign = stepIcons[is]
          return (
            <li key={name} data-is={is} aria-current={is === 'next' ? 'step' : undefined}>
              <span className="up-step-sign">{Sign && <Sign size={13} stroke={3} aria-hidden />}</span>
              <span>{name}</span>
              <span className="svc-hidden">, {stepWords[is]}</span>
              {note !== undefined && <span className="up-step-note">{note}</span>}
            </li>
          )
        })}
      </ol>
    )
  )
}

interface CancelRequestProps {
  agent: Agent
  kind: 'blueprint' | 'runtime'
  /** The requested version, such as `1.2.0` or `runtime 0.3.0`. */
  what: string
  /** True while there is a request to cancel. */
  shown: boolean
  /** The text of the dialog that asks the person before the request is cancelled. */
  children: ReactNode
}

/** A button that cancels the request for a version, after asking the person. */
export function CancelRequest({ agent, kind, what, shown, children }: CancelRequestProps) {
  const act = useUpdates(agent)
  const confirm = useConfirm()
  const ask = () =>
    confirm({
      title: `Cancel the request for ${what}?`,
      content: children,
      confirm: 'Cancel request',
      act: () => act((slug, name) => call(`DELETE /w/:slug/agents/:name/wishes/${kind}`, { slug, name })),
    })
  if (!shown) return null
  return (
    <WhyButton variant="default" onClick={ask} why={agent.page.canAct ? null : adminsOnly}>
      Cancel request…
    </WhyButton>
  )
}

// The steps of an update that `Steps` shows.

interface UpdateStep {
  readonly name: string
  /** `next` is the first step that is not done, or `no` if the update ended at this step. */
  readonly is: 'done' | 'next' | 'no' | 'later'
  /** The reason why the step is not done, in words; undefined if there is nothing to say. */
  readonly note?: string
}

const names = ['Requested', 'Sent', 'Downloaded', 'Tested', 'Kept'] as const

interface Progress {
  readonly done: number
  readonly ended?: true
  readonly note?: string
}

/** The number of `names` that are done in each state. `ended` is true if the update ended at the next step. */
const progress: Readonly<Record<WishState, Progress | undefined>> = {
  none: undefined,
  queued: { done: 1 },
  waiting: { done: 1 },
  offered: { done: 2 },
  trying: { done: 3 },
  kept: { done: 5 },
  rolled_back: { done: 3, ended: true },
  failed: { done: 2, ended: true },
  held: { done: 1, ended: true },
}

/** The progress of a blueprint update in the state `failed`: the agent tries the download again. */
const retried: Progress = { done: 2, note: 'the last try failed' }

/** The steps of a requested update; undefined if none is requested. */
export function updateStepsOf(state: WishState, of: RolloutKind): UpdateStep[] | undefined {
  const at = of === 'blueprint' && state === 'failed' ? retried : progress[state]
  return (
    at &&
    names.map((name, i) => ({
      name,
      is: i < at.done ? 'done' : i > at.done ? 'later' : at.ended ? 'no' : 'next',
      ...(i === at.done && at.note !== undefined && { note: at.note }),
    }))
  )
}
