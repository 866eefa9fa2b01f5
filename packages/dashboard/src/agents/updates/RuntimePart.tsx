import type { RuntimeRefusal, RuntimeUpdate } from '@svc/api'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { Confirm, Text, Tone, useConfirm, WhyButton } from '../../ui/index.ts'
import { ServedVersion, UnsignedWarning } from '../../updates/parts/Served.tsx'
import { type Agent, adminsOnly } from '../parts/agent.ts'
import { outcomeText, WishLine } from './parts.tsx'
import { CancelRequest, UpdateCard } from './UpdateCard.tsx'
import { useUpdates } from './useUpdates.ts'

/**
 * The advice for each reason why a runtime update is refused (3.4). The page shows the advice after the service's own
 * sentence.
 */
const remedies: Readonly<Record<RuntimeRefusal, string>> = {
  runtime_not_served: 'The operator of this service can add a build with “svc-server release add”.',
  runtime_too_old: 'Reinstall it on its machine: a runtime this old cannot be updated from here.',
  runtime_up_to_date: '',
  runtime_pinned: 'To unpin it, run “svc pin-runtime off” on its machine.',
  runtime_version_held: '',
}

interface PartProps {
  agent: Agent
  update: RuntimeUpdate
}

/**
 * Shows the version of the agent's runtime that runs, the requested version, and the form to request the served one
 * (3.4, 3.5).
 */
export function RuntimePart({ agent, update }: PartProps) {
  const { slug } = agent
  const { previous, pinned, served, wish, hold, applied } = update
  const isServed = isUpToDate(update)
  return (
    <UpdateCard
      title="Runtime"
      update={update}
      about={isServed && <Tone tone="good">up to date</Tone>}
      lift={hold && <LiftHoldButton agent={agent} version={hold.version} />}
      facts={[
        ['Requested', wish && <WishLine key="wish" slug={slug} wish={wish} />],
        ['Previous', previous],
        ['Pinned to', pinned && <Text key="pinned">{`${pinned}, by someone on its machine`}</Text>],
        ['Last update', outcomeText(applied, hold)],
        ['Served', served && !isServed && <ServedVersion key="served" served={served} offered={update.press.ok} />],
      ]}
    >
      <RuntimeButtons agent={agent} update={update} />
    </UpdateCard>
  )
}

/** True if the served version runs, and nothing is requested. */
const isUpToDate = ({ state, press }: RuntimeUpdate): boolean =>
  state === 'none' && !press.ok && press.code === 'runtime_up_to_date'

function RuntimeButtons({ agent, update }: PartProps) {
  const { press, wish, served, hold } = update
  const [asking, setAsking] = useState(false)
  const isSaid = isUpToDate(update) || hold !== null
  const refused =
    press.ok || isSaid ? null : [press.message, remedies[press.code]].filter((text) => text !== '').join(' ')
  const why = agent.page.canAct ? (wish ? 'Already requested.' : refused) : adminsOnly
  return (
    <>
      <div className="up-act">
        {press.ok && (
          <WhyButton onClick={() => setAsking(true)} why={why}>
            {served ? `Update runtime to ${served.version}…` : 'Update runtime…'}
          </WhyButton>
        )}
        <CancelRequest agent={agent} kind="runtime" what={`runtime ${wish?.version ?? ''}`} shown={wish !== null}>
          If the runtime has already started the update, it will finish. You can request the update again at any time.
        </CancelRequest>
      </div>
      {refused !== null && !wish && <p className="up-note">{refused}</p>}
      <ConfirmUpdate agent={agent} update={update} opened={asking} onClose={() => setAsking(false)} />
    </>
  )
}

function ConfirmUpdate({ agent, update, opened, onClose }: PartProps & { opened: boolean; onClose: () => void }) {
  const { served, running } = update
  const act = useUpdates(agent)
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={`Update the runtime to ${served?.version ?? ''}?`}
      confirm="Update runtime"
      onConfirm={() => act((slug, name) => call('POST /w/:slug/agents/:name/wishes/runtime', { slug, name }))}
    >
      {served && !served.signed && <UnsignedWarning version={served.version} />}
      The request is sent with the next report. The runtime checks the signature, tests the new version for at most five
      minutes, and rolls back by itself if it does not report. The agent keeps running meanwhile.
      <ul className="svc-consequences">
        <li>Until the update starts, you can cancel the request.</li>
        <li>
          After that, it can be undone only on its machine: <code>svc rollback-runtime</code> brings{' '}
          <Text>{running ?? 'the old version'}</Text> back.
        </li>
      </ul>
    </Confirm>
  )
}

function LiftHoldButton({ agent, version }: { agent: Agent; version: string }) {
  const act = useUpdates(agent)
  const confirm = useConfirm()
  const ask = () =>
    confirm({
      title: `Lift the hold on runtime ${version}?`,
      content:
        'This only allows the update to be requested again. Fix the cause of the failure first: another failure puts the version on hold again. This can’t be undone and is listed under Activity.',
      confirm: 'Lift hold',
      act: () => act((slug, name) => call('DELETE /w/:slug/agents/:name/holds/runtime', { slug, name })),
    })
  return (
    <>
      <p>It cannot be requested again until the service serves another release or an admin lifts the hold.</p>
      <WhyButton variant="default" size="compact-sm" onClick={ask} why={agent.page.canAct ? null : adminsOnly}>
        Lift hold…
      </WhyButton>
    </>
  )
}
