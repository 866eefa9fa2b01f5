import { Checkbox, Stack } from '@mantine/core'
import type { PressVerdict, RolloutPage as Rollout, RolloutSeen } from '@svc/api'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../data/api.ts'
import { queryKeys, read } from '../data/queries.ts'
import { useChange } from '../ui/dialogs/useChange.ts'
import { Confirm, count, ErrorNote, Text, WhyButton } from '../ui/index.ts'
import { DoNotWait } from './parts/DoNotWait.tsx'
import { rolloutTitleOf } from './UpdatesPage.tsx'
import { changedText, type RolloutButton, rolloutButtonsOf } from './waves.ts'

interface PressedAct {
  readonly what: RolloutButton['act'] | 'now'
  /** The rollout as it was when the person decided. The service refuses the act if it has changed. */
  readonly seen: RolloutSeen
  readonly withdraw?: boolean
}

interface OpenedAct extends Pick<RolloutButton, 'act' | 'label'> {
  readonly seen: RolloutSeen
}

/** The buttons with which an admin steers a rollout, each with a sentence about it. */
export function RolloutActs({ slug, rollout }: { slug: string; rollout: Rollout }) {
  const client = useQueryClient()
  const [asking, setAsking] = useState<OpenedAct | null>(null)
  const [withdraw, setWithdraw] = useState(false)
  const { id, actions, canAct, watching, state, wave, changedAt } = rollout
  const seen: RolloutSeen = { state, wave, changedAt }
  const send = ({ what, seen: expected, withdraw = false }: PressedAct) => {
    const at = { slug, id }
    if (what === 'pause') return call('POST /w/:slug/rollouts/:id/pause', at)
    // A rollout can be cancelled in any state, so `expected` is sent only if pending requests are cancelled, too.
    if (what === 'cancel')
      return call('POST /w/:slug/rollouts/:id/cancel', at, { withdraw, ...(withdraw && { expected }) })
    return call(`POST /w/:slug/rollouts/:id/${what}`, at, { expected })
  }
  const act = async (pressed: PressedAct) => {
    try {
      const page = await send(pressed)
      setAsking(null)
      client.setQueryData(read('GET /w/:slug/rollouts/:id', { slug, id }).queryKey, page)
    } finally {
      void client.invalidateQueries({ queryKey: queryKeys.rollouts(slug) })
    }
  }
  const { busy, values, error, submit } = useChange(act)
  const why = (pressable: PressVerdict) =>
    canAct ? (pressable.ok ? null : pressable.message) : 'Only admins of this workspace can do this.'
  const acts = rolloutButtonsOf(rollout)
  const ask = ({ act, label }: RolloutButton) => {
    setWithdraw(false)
    setAsking({ act, label: label.replace('…', ''), seen })
  }
  const going = asking?.act === 'continue' ? asking : undefined
  const changed = going && changedText(going.seen, rollout)
  // The sentence at the top of the page already says that the rollout is done.
  if (state === 'done') return null
  if (acts.length === 0)
    return (
      <p className="svc-quiet">
        <Text>{rollout.stays}</Text>
      </p>
    )
  return (
    <Stack gap="xs" mt={10}>
      <ul className="svc-list up-acts" aria-label="What you can do">
        {acts.map((one) => (
          <li key={one.act}>
            <WhyButton
              variant={one.primary ? 'filled' : 'default'}
              onClick={() => (one.asks ? ask(one) : submit({ what: one.act, seen }))}
              why={(busy ? 'Sending…' : null) ?? why(actions[one.act])}
              loading={values?.what === one.act}
            >
              {one.label}
            </WhyButton>
            <p>
              <Text>{one.says}</Text>
            </p>
          </li>
        ))}
        {actions.now.ok && (
          <li>
            <DoNotWait
              who={count(watching.agents, 'agent')}
              watched="the version that each watches"
              version={rollout.version}
              why={(busy ? 'Sending…' : null) ?? why(actions.now)}
              send={() => act({ what: 'now', seen })}
            />
            <p>Ends the watch of {count(watching.agents, 'agent')}, so that the update starts there at once.</p>
          </li>
        )}
      </ul>
      {watching.tooOld > 0 && (
        <p className="svc-quiet">
          {count(watching.tooOld, 'agent')} {watching.tooOld === 1 ? 'waits' : 'wait'} for the end of a watch, and the
          runtime there is too old to end one.
        </p>
      )}
      {error !== null && <ErrorNote error={error} />}
      <Confirm
        opened={asking?.act === 'cancel'}
        onClose={() => setAsking(null)}
        title={`Cancel the rollout of ${rolloutTitleOf(rollout)}?`}
        confirm="Cancel rollout"
        danger
        onConfirm={() => act({ what: 'cancel', seen, withdraw })}
      >
        <p>
          No further agents get the version. This can’t be undone, but a new rollout can pick up where this one ended.
        </p>
        <p>
          <Text>{rollout.stays}</Text>
        </p>
        <Checkbox
          checked={withdraw}
          onChange={(event) => setWithdraw(event.currentTarget.checked)}
          label="Also cancel requests that agents have not carried out"
          description="Agents that have already started will finish."
        />
      </Confirm>
      <Confirm
        opened={going !== undefined}
        onClose={() => setAsking(null)}
        title={going ? `${going.label}?` : ''}
        confirm={going?.label ?? ''}
        disabled={changed !== undefined}
        onConfirm={() => act({ what: 'continue', seen: going?.seen ?? seen })}
      >
        <p aria-live="polite">
          <Text>{changed ?? (going && acts.find((one) => one.act === 'continue')?.says) ?? ''}</Text>
        </p>
      </Confirm>
    </Stack>
  )
}
