import { Checkbox, Stack } from '@mantine/core'
import type { Pressable, RolloutPage as Rollout } from '@svc/api'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../data/api.ts'
import { read, rolloutsQuery } from '../data/queries.ts'
import { useChange } from '../ui/dialogs/useChange.ts'
import { Confirm, count, ErrorNote, Text, WhyButton } from '../ui/index.ts'
import { DoNotWait } from './parts/DoNotWait.tsx'
import { titleOf } from './UpdatesPage.tsx'
import { type Act, actsOf } from './waves.ts'

type RolloutAction = Act['act'] | 'now'

/** The actions that an admin has on a rollout: each button with the sentence about it. */
export function RolloutActs({ slug, rollout }: { slug: string; rollout: Rollout }) {
  const client = useQueryClient()
  const [asking, setAsking] = useState<Act | null>(null)
  const [withdraw, setWithdraw] = useState(false)
  const { id, actions, canAct, watching } = rollout
  const act = async (what: RolloutAction) => {
    const at = { slug, id }
    const page =
      what === 'cancel'
        ? await call('POST /w/:slug/rollouts/:id/cancel', at, { withdraw })
        : await call(`POST /w/:slug/rollouts/:id/${what}`, at)
    client.setQueryData(read('GET /w/:slug/rollouts/:id', { slug, id }).queryKey, page)
    void client.invalidateQueries({ queryKey: rolloutsQuery(slug).queryKey })
  }
  const { busy, error, submit } = useChange(act)
  const why = (pressable: Pressable) =>
    canAct ? (pressable.ok ? null : pressable.message) : 'Only admins of this workspace can do this.'
  const acts = actsOf(rollout)
  if (acts.length === 0)
    return (
      <p className="svc-quiet">
        <Text>{rollout.stays}</Text>
      </p>
    )
  return (
    <Stack gap="xs" my={10}>
      <ul className="svc-list up-acts" aria-label="What you can do">
        {acts.map((one) => (
          <li key={one.act}>
            <WhyButton
              variant={one.primary ? 'filled' : 'default'}
              onClick={() => (one.asks ? setAsking(one) : submit(one.act))}
              why={(busy ? 'Sending…' : null) ?? why(actions[one.act])}
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
              send={() => act('now')}
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
        title={`Cancel the rollout of ${titleOf(rollout)}?`}
        confirm="Cancel rollout"
        danger
        onConfirm={() => act('cancel')}
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
        opened={asking?.act === 'continue'}
        onClose={() => setAsking(null)}
        title={asking?.act === 'continue' ? `${asking.label.replace('…', '')}?` : ''}
        confirm={asking?.act === 'continue' ? asking.label.replace('…', '') : ''}
        onConfirm={() => act('continue')}
      >
        <Text>{asking?.act === 'continue' ? asking.says : ''}</Text>
      </Confirm>
    </Stack>
  )
}
