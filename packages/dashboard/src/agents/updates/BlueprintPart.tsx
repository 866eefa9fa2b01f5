import { NativeSelect } from '@mantine/core'
import type { BlueprintUpdate } from '@svc/api'
import { limits } from '@svc/protocol'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { paths } from '../../paths.ts'
import { Confirm, lastingText, Text, Tone, WhyButton } from '../../ui/index.ts'
import { AnchorLink } from '../../ui/links.tsx'
import { DoNotWait } from '../../updates/parts/DoNotWait.tsx'
import { isOutstanding, requestLabel } from '../../updates/parts/looks.ts'
import { NewSecrets } from '../../updates/parts/NewSecrets.tsx'
import { PrintedOutput } from '../../updates/parts/Printed.tsx'
import { type Agent, adminsOnly } from '../parts/agent.ts'
import { MachineChangeNote } from '../parts/MachineChangeNote.tsx'
import { versionByMachine } from '../parts/machine.ts'
import { outcomeText, WishLine } from './parts.tsx'
import { CancelRequest, UpdateCard } from './UpdateCard.tsx'
import { useUpdates } from './useUpdates.ts'

interface PartProps {
  agent: Agent
  update: BlueprintUpdate
}

/**
 * Shows the version of the agent's blueprint that runs, the requested version, and the form to request another version
 * (3.3).
 */
export function BlueprintPart({ agent, update }: PartProps) {
  const { slug, page } = agent
  const { blueprint, previous, wish, applied, hold } = update
  return (
    <UpdateCard
      title="Blueprint version"
      aside={
        <AnchorLink to={paths.blueprint} params={{ slug, blueprint }} fz="xs">
          Open blueprint
        </AnchorLink>
      }
      update={update}
      lift={
        <>
          <p>The hold was set by the machine. Requesting another version lifts it.</p>
          {update.printed !== null && (
            <PrintedOutput slug={slug} name={page.name} log={update.printed} why={page.canAct ? null : adminsOnly} />
          )}
        </>
      }
      about={
        <>
          {isUpToDate(update) && <Tone tone="good">up to date</Tone>}{' '}
          <MachineChangeNote change={versionByMachine(page)}>Changed on the machine</MachineChangeNote>
        </>
      }
      facts={[
        ['Requested', wish && <WishLine key="wish" slug={slug} wish={wish} />],
        ['Previous', previous],
        ['Last update', outcomeText(applied, hold)],
      ]}
    >
      <PastTheWatch agent={agent} update={update} />
      <BlueprintButtons agent={agent} update={update} />
    </UpdateCard>
  )
}

/**
 * If the requested update waits because the agent still watches its present version, shows a button that starts the
 * update at once (D30), or the reason why that is not possible.
 */
function PastTheWatch({ agent, update: { wish, waits, now } }: PartProps) {
  const act = useUpdates(agent)
  if (!wish || waits?.for !== 'window') return null
  if (!now.ok) return <p className="up-note">{now.message}</p>
  return (
    <div className="up-act">
      <DoNotWait
        who={agent.page.name}
        watched={waits.version}
        version={wish.version}
        why={agent.page.canAct ? null : adminsOnly}
        send={() => act((slug, name) => call('POST /w/:slug/agents/:name/wishes/blueprint/now', { slug, name }))}
      />
    </div>
  )
}

/** True if the newest version runs, and nothing is requested. */
const isUpToDate = ({ wish, versions, running }: BlueprintUpdate): boolean =>
  wish === null && running !== null && versions[0] === running

function BlueprintButtons({ agent, update }: PartProps) {
  const { running, previous, wish, versions } = update
  const [picked, setPicked] = useState<string | null>(null)
  const [asked, setAsked] = useState<string | null>(null)
  const offered = versions.find((version) => !isNeedless(update, version)) ?? versions[0] ?? ''
  const chosen = picked !== null && versions.includes(picked) ? picked : offered
  const why = agent.page.canAct ? null : adminsOnly
  const back = previous !== null && previous !== chosen && versions.includes(previous) ? previous : null
  if (wish === null && versions.every((version) => version === running)) return null
  return (
    <>
      <div className="up-act">
        <NativeSelect
          label="Version"
          data={versions.map((value) => ({ value, label: value === running ? `${value}, running` : value }))}
          value={chosen}
          onChange={(event) => setPicked(event.currentTarget.value)}
          disabled={versions.length === 0}
        />
        {!isNeedless(update, chosen) && (
          <WhyButton onClick={() => setAsked(chosen)} why={why}>
            {`${requestLabel(chosen, running, previous)}…`}
          </WhyButton>
        )}
        {back !== null && !isNeedless(update, back) && (
          <WhyButton variant="default" onClick={() => setAsked(back)} why={why}>
            {`Go back to ${back}…`}
          </WhyButton>
        )}
        <CancelRequest
          agent={agent}
          kind="blueprint"
          what={wish?.version ?? ''}
          shown={wish !== null && isOutstanding(wish.version, running)}
        >
          If the agent has already started the update, it will finish. You can request the version again at any time.
        </CancelRequest>
      </div>
      <ConfirmVersion agent={agent} update={update} version={asked ?? ''} onClose={() => setAsked(null)} />
    </>
  )
}

/**
 * A dialog that asks the person to confirm before the page requests `version` for the agent. The dialog is closed while
 * `version` is empty.
 */
function ConfirmVersion({ agent, update, version, onClose }: PartProps & { version: string; onClose: () => void }) {
  const { blueprint, running, previous } = update
  const act = useUpdates(agent)
  return (
    <Confirm
      opened={version !== ''}
      onClose={onClose}
      title={`${requestLabel(version, running, previous)}?`}
      confirm={requestLabel(version, running, previous)}
      onConfirm={() =>
        act((slug, name) => call('PUT /w/:slug/agents/:name/wishes/blueprint', { slug, name }, { version }))
      }
    >
      {version === running ? (
        <Stays update={update} />
      ) : (
        <>
          The request is sent with the next report. The agent downloads the version, restarts on it, and keeps it only
          if it is healthy. Otherwise it rolls back by itself and reports why.
          <ul className="svc-consequences">
            <li>
              Until the update starts, you can cancel the request. After that, go back to{' '}
              <Text>{running ?? 'another version'}</Text>, which the machine keeps.
            </li>
            {version === previous && (
              <li>
                The agent then watches <Text>{version}</Text> for {windowWords}. Another version that you request
                meanwhile starts after that.
              </li>
            )}
            <li>The agent’s stored data is not touched: going back restores the program, not its data.</li>
          </ul>
        </>
      )}
      {version !== '' && version !== running && running !== null && (
        <NewSecrets slug={agent.slug} blueprint={blueprint} version={version} running={[running]} />
      )}
    </Confirm>
  )
}

/** Says what happens if a person requests the version that already runs. */
const Stays = ({ update: { running, wish, hold } }: { update: BlueprintUpdate }) => (
  <>
    The agent goes on with <Text>{running ?? ''}</Text>
    {wish && isOutstanding(wish.version, running) && (
      <>
        , and <Text>{wish.version}</Text> is no longer requested
      </>
    )}
    .
    {hold && (
      <>
        {' '}
        The hold on <Text>{hold.version}</Text> is lifted with the next report, so that it can be requested again.
      </>
    )}
  </>
)

const windowWords = lastingText(limits.windowSeconds * 1000)

/**
 * True if a request for this version would change nothing: the version is requested, is on hold, or runs while none is
 * requested. Also true for '', which means that no version is chosen.
 */
const isNeedless = ({ running, wish, hold }: BlueprintUpdate, version: string): boolean =>
  version === '' || version === (wish?.version ?? running) || version === hold?.version
