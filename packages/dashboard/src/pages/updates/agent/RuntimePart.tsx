import type { RuntimeRefusal, RuntimeUpdate } from '@svc/api'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { Confirm, Facts, Section, Text, Tone, WhyButton } from '../../../ui/index.ts'
import { type Agent, adminsOnly } from '../../agent/parts/agent.ts'
import { Unsigned } from '../parts/Unsigned.tsx'
import { wishWords } from '../parts/words.ts'
import { HoldNote, outcomeText, Waits, WishLine } from './parts.tsx'
import { useUpdates } from './useUpdates.ts'

/** What to do about each refusal (3.4); the service's own sentence stands before it. */
const mends: Readonly<Record<RuntimeRefusal, string>> = {
  runtime_not_served: 'The operator of this service places a build with “svc-server release add”.',
  runtime_too_old: 'Install it anew on its machine: an old runtime cannot be told.',
  runtime_up_to_date: 'There is nothing to do.',
  runtime_pinned: 'Somebody pinned it on its machine; “svc pin-runtime off” there lifts that.',
  runtime_version_held: 'An earlier attempt went wrong. Lift the hold to let it try again.',
}

/** The runtime that runs the agent: which version, and the wish for the one that is served (3.4, 3.5). */
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
          ['Runs', running],
          ['Wished', wish && <WishLine key="wish" slug={slug} wish={wish} />],
          ['Kept to go back to', previous],
          ['Pinned to', pinned && <Text key="pinned">{`${pinned}, by a person on its machine`}</Text>],
          ['Last update', outcomeText(applied)],
          [
            'Served',
            served && (
              <span key="served">
                <Text>{served.version}</Text>
                {!served.signed && <span className="up-unsigned">, not signed: an update to it fails</span>}
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
  const why = agent.page.canAct ? (wish ? 'It is wished already.' : refused) : adminsOnly
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
            Withdraw the wish…
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
        The runtime is told with its next report. It checks the signature, runs the new version on trial for at most
        five minutes, and goes back by itself if that does not report. The agent goes on meanwhile.
        <ul className="svc-consequences">
          <li>Until it has begun this can be undone by withdrawing the wish.</li>
          <li>
            Afterwards only on its machine: <code>svc rollback-runtime</code> brings{' '}
            <Text>{running ?? 'the old one'}</Text> back.
          </li>
        </ul>
      </Confirm>
      <Confirm
        opened={asking === 'withdraw'}
        onClose={() => setAsking(null)}
        title={`Withdraw the wish for runtime ${wish?.version ?? ''}?`}
        confirm="Withdraw"
        onConfirm={() => act((slug, name) => api.withdraw(slug, name, 'runtime'))}
      >
        The runtime is not told any more. What it has begun it ends by itself. This can be undone: press “Update
        runtime” again.
      </Confirm>
    </>
  )
}

function Lift({ agent, version }: { agent: Agent; version: string }) {
  const act = useUpdates(agent)
  const [asking, setAsking] = useState(false)
  return (
    <>
      <p>It is not wished again until the service serves another version, or somebody lifts the hold.</p>
      <WhyButton
        variant="default"
        size="compact-sm"
        onClick={() => setAsking(true)}
        why={agent.page.canAct ? null : adminsOnly}
      >
        Lift the hold…
      </WhyButton>
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        title={`Lift the hold on runtime ${version}?`}
        confirm="Lift the hold"
        onConfirm={() => act(api.liftHold)}
      >
        The update can then be pressed again; nothing is wished by this alone. Mend first what made it fail. It stands
        in the activity, and cannot be undone: the next failure holds the version again.
      </Confirm>
    </>
  )
}
