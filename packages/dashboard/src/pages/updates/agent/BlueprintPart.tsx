import { NativeSelect } from '@mantine/core'
import type { BlueprintUpdate } from '@svc/api'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { AnchorLink } from '../../../links.tsx'
import { paths } from '../../../paths.ts'
import { Confirm, Facts, Section, Text, Tone, WhyButton } from '../../../ui/index.ts'
import { type Agent, adminsOnly } from '../../agent/parts/agent.ts'
import { ByMachine } from '../../agent/parts/ByMachine.tsx'
import { versionByMachine } from '../../agent/parts/machine.ts'
import { NewSecrets } from '../parts/NewSecrets.tsx'
import { stands, verb, wishWords } from '../parts/words.ts'
import { HoldNote, outcomeText, Waits, WishLine } from './parts.tsx'
import { useUpdates } from './useUpdates.ts'

/** The version of its blueprint: which runs, which is wished, and naming another (3.3). */
export function BlueprintPart({ agent, update }: { agent: Agent; update: BlueprintUpdate }) {
  const { slug, page } = agent
  const { blueprint, running, previous, wish, state, says, waits, hold, applied } = update
  const { word, tone } = wishWords[state]
  return (
    <Section
      title="Blueprint version"
      aside={
        <AnchorLink to={paths.blueprint} params={{ slug, blueprint }} fz="xs">
          {blueprint}
        </AnchorLink>
      }
      flush
    >
      <p className="up-says" role="status">
        {state !== 'none' && <Tone tone={tone}>{word}</Tone>} <Text>{says}</Text>
      </p>
      <Waits waits={waits} />
      {hold && (
        <HoldNote hold={hold}>
          <p>The hold is the machine’s own. Naming another version lifts it.</p>
        </HoldNote>
      )}
      <Facts
        facts={[
          [
            'Runs',
            running && (
              <span key="runs" className="ag-stack">
                <Text>{running}</Text>
                <ByMachine change={versionByMachine(page)}>Changed on the machine</ByMachine>
              </span>
            ),
          ],
          ['Wished', wish && <WishLine key="wish" slug={slug} wish={wish} />],
          ['Ran before', previous],
          ['Last update', outcomeText(applied)],
        ]}
      />
      <Acts agent={agent} update={update} />
    </Section>
  )
}

function Acts({ agent, update }: { agent: Agent; update: BlueprintUpdate }) {
  const { running, previous, wish, versions } = update
  const act = useUpdates(agent)
  const [picked, setPicked] = useState<string | null>(null)
  const [asking, setAsking] = useState<{ version: string } | 'withdraw' | null>(null)
  const chosen = picked !== null && versions.includes(picked) ? picked : (versions[0] ?? '')
  const version = asking !== null && asking !== 'withdraw' ? asking.version : ''
  const back = previous !== null && previous !== chosen && versions.includes(previous) ? previous : null
  const isOpen = wish !== null && stands(wish.version, running)
  return (
    <>
      <div className="up-act">
        <NativeSelect
          label="Version"
          data={versions}
          value={chosen}
          onChange={(event) => setPicked(event.currentTarget.value)}
          disabled={versions.length === 0}
        />
        <WhyButton onClick={() => setAsking({ version: chosen })} why={whyNot(agent, update, chosen)}>
          {`${verb(chosen, running, previous)}…`}
        </WhyButton>
        {back !== null && (
          <WhyButton variant="default" onClick={() => setAsking({ version: back })} why={whyNot(agent, update, back)}>
            {`Roll back to ${back}…`}
          </WhyButton>
        )}
        {isOpen && (
          <WhyButton
            variant="default"
            onClick={() => setAsking('withdraw')}
            why={agent.page.canAct ? null : adminsOnly}
          >
            Withdraw the wish…
          </WhyButton>
        )}
      </div>
      <Confirm
        opened={version !== ''}
        onClose={() => setAsking(null)}
        title={`${verb(version, running, previous)}?`}
        confirm={verb(version, running, previous)}
        onConfirm={() => act((slug, name) => api.wishVersion(slug, name, version))}
      >
        The agent is told with its next report. It fetches the version, unpacks it beside the one that runs, restarts on
        it, and keeps it only if it is healthy; if not, it goes back by itself and says why.
        <ul className="svc-consequences">
          <li>
            This can be undone: until it has begun, by withdrawing the wish; afterwards by naming{' '}
            <Text>{running ?? 'another version'}</Text>, which the machine keeps.
          </li>
          <li>What the agent has stored stays as it is: going back brings back the program, not its data.</li>
        </ul>
        {version !== '' && running !== null && (
          <NewSecrets slug={agent.slug} blueprint={update.blueprint} version={version} running={[running]} />
        )}
      </Confirm>
      <Confirm
        opened={asking === 'withdraw'}
        onClose={() => setAsking(null)}
        title={`Withdraw the wish for ${wish?.version ?? ''}?`}
        confirm="Withdraw"
        onConfirm={() => act((slug, name) => api.withdraw(slug, name, 'blueprint'))}
      >
        The agent is not told any more. What its machine has begun it ends by itself. This can be undone: name the
        version again.
      </Confirm>
    </>
  )
}

function whyNot({ page }: Agent, { running, wish, hold }: BlueprintUpdate, version: string): string | null {
  if (!page.canAct) return adminsOnly
  if (version === '') return 'Its blueprint has no version here.'
  if (hold?.version === version) return 'Its machine holds this version. Name another one first: that lifts the hold.'
  if (wish?.version === version)
    return running === version ? 'It runs this version, as wished.' : 'It is wished already.'
  if (running === version && wish === null) return 'It runs this version.'
  return null
}
