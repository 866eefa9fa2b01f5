import type { RuntimeRefusal, RuntimeUpdate } from '@svc/api'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { Confirm, Facts, Section, Text, Tone, WhyButton } from '../../../ui/index.ts'
import { type Agent, adminsOnly } from '../../agent/parts/agent.ts'
import { Unsigned } from '../parts/Unsigned.tsx'
import { wishWords } from '../parts/words.ts'
import { HoldNote, outcomeText, Waits, WishLine } from './parts.tsx'
import { useUpdates } from './useUpdates.ts'

/** How to fix each refusal (3.4). The service's own sentence comes before it. */
const mends: Readonly<Record<RuntimeRefusal, string>> = {
  runtime_not_served: 'The operator of this service can add a build with “svc-server release add”.',
  runtime_too_old: 'Reinstall it on its machine: a runtime this old cannot be updated from here.',
  runtime_up_to_date: 'There is nothing to do.',
  runtime_pinned: 'To unpin it, run “svc pin-runtime off” on its machine.',
  runtime_version_held: 'An earlier attempt failed. Lift the hold to try again.',
}

/** The agent's runtime version: running, requested, and the form to request the served one (3.4, 3.5). */
export function RuntimePart({ agent, update }: { agent: Agent; update: RuntimeUpdate }) {
  const { slug } = agent
  const { running, previous, pinned, served, wish, state, says, waits, hold, applied } = update
  const { word, tone } = wishWords[state]
  return (
    <Section title="Runtime" aside={served ? `${served.version} is served` : 'none is served'} flush>
      <p className="up-says" role="status">
        {state !== 'none' && <Tone tone={tone}>{word}</Tone>} <Text>{says}</Text>
      </p>
      <Waits waits={waits} />
      {hold && (
        <HoldNote hold={hold}>
          <Lift agent={agent} version={hold.version} />
        </HoldNote>
      )}
      <Facts
        facts={[
          ['Running', running],
          ['Requested', wish && <WishLine key="wish" slug={slug} wish={wish} />],
          ['Previous', previous],
          ['Pinned to', pinned && <Text key="pinned">{`${pinned}, by someone on its machine`}</Text>],
          ['Last update', outcomeText(applied)],
          [
            'Served',
            served && (
              <span key="served">
                <Text>{served.version}</Text>
                {!served.signed && <span className="up-unsigned">, not signed: updates to it fail</span>}
              </span>
            ),
          ],
        ]}
      />
      <Acts agent={agent} update={update} />
    </Section>
  )
}

function Acts({ agent, update }: { agent: Agent; update: RuntimeUpdate }) {
  const { press, wish, served, running } = update
  const act = useUpdates(agent)
  const [asking, setAsking] = useState<'press' | 'withdraw' | null>(null)
  const refused = press.ok ? null : `${press.message} ${mends[press.code]}`
  const why = agent.page.canAct ? (wish ? 'Already requested.' : refused) : adminsOnly
  return (
    <>
      <div className="up-act">
        <WhyButton onClick={() => setAsking('press')} why={why}>
          {served ? `Update runtime to ${served.version}…` : 'Update runtime…'}
        </WhyButton>
        {wish && (
          <WhyButton
            variant="default"
            onClick={() => setAsking('withdraw')}
            why={agent.page.canAct ? null : adminsOnly}
          >
            Cancel request…
          </WhyButton>
        )}
      </div>
      {refused !== null && !wish && <p className="up-note">{refused}</p>}
      <Confirm
        opened={asking === 'press'}
        onClose={() => setAsking(null)}
        title={`Update the runtime to ${served?.version ?? ''}?`}
        confirm="Update runtime"
        onConfirm={() => act(api.updateRuntime)}
      >
        {served && !served.signed && <Unsigned version={served.version} />}
        The request is sent with the next report. The runtime checks the signature, tests the new version for at most
        five minutes, and rolls back by itself if it does not report. The agent keeps running meanwhile.
        <ul className="svc-consequences">
          <li>Until the update starts, you can cancel the request.</li>
          <li>
            After that, it can be undone only on its machine: <code>svc rollback-runtime</code> brings{' '}
            <Text>{running ?? 'the old version'}</Text> back.
          </li>
        </ul>
      </Confirm>
      <Confirm
        opened={asking === 'withdraw'}
        onClose={() => setAsking(null)}
        title={`Cancel the request for runtime ${wish?.version ?? ''}?`}
        confirm="Cancel request"
        onConfirm={() => act((slug, name) => api.withdraw(slug, name, 'runtime'))}
      >
        If the runtime has already started the update, it will finish. You can request the update again at any time.
      </Confirm>
    </>
  )
}

function Lift({ agent, version }: { agent: Agent; version: string }) {
  const act = useUpdates(agent)
  const [asking, setAsking] = useState(false)
  return (
    <>
      <p>It cannot be requested again until the service serves another version or an admin lifts the hold.</p>
      <WhyButton
        variant="default"
        size="compact-sm"
        onClick={() => setAsking(true)}
        why={agent.page.canAct ? null : adminsOnly}
      >
        Lift hold…
      </WhyButton>
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        title={`Lift the hold on runtime ${version}?`}
        confirm="Lift hold"
        onConfirm={() => act(api.liftHold)}
      >
        This only allows the update to be requested again. Fix the cause of the failure first: another failure puts the
        version on hold again. This can’t be undone and is listed under Activity.
      </Confirm>
    </>
  )
}
