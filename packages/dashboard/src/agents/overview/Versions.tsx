import type { AppliedUpdate } from '@svc/protocol'
import type { ReactNode } from 'react'
import { paths } from '../../paths.ts'
import { Text } from '../../ui/index.ts'
import { AnchorLink } from '../../ui/links.tsx'
import { Section } from '../../ui/parts.tsx'
import { Facts } from '../../ui/values/Facts.tsx'
import { LastAttempt } from '../../updates/parts/LastAttempt.tsx'
import { isOutstanding } from '../../updates/parts/looks.ts'
import { WishedVersion } from '../../updates/parts/Wished.tsx'
import type { Agent } from '../parts/agent.ts'
import { MachineChangeNote } from '../parts/MachineChangeNote.tsx'
import { versionByMachine } from '../parts/machine.ts'

const outcomeNote = (applied: AppliedUpdate | undefined) =>
  applied && (applied.outcome || applied.message) ? <LastAttempt applied={applied} /> : undefined

/** Shows the versions of the agent's blueprint and runtime, and the outcomes of the last updates (2.5, 2.6). */
export function Versions({ agent: { slug, page } }: { agent: Agent }) {
  const { blueprint, versions, report } = page
  const { applied, runtime } = report ?? {}
  const running = versions.running ?? applied?.version
  const update = page.updates.blueprint
  const version = (which: string | null | undefined): ReactNode =>
    blueprint === null || !which ? (
      which
    ) : (
      <AnchorLink to={paths.blueprint} params={{ slug, blueprint }} search={{ version: which }}>
        <Text>{which}</Text>
      </AnchorLink>
    )
  return (
    <Section
      title="Versions"
      aside={
        page.report !== null && (
          <AnchorLink to={paths.agent} params={{ slug, name: page.name }} search={{ tab: 'updates' }} fz="xs">
            Updates
          </AnchorLink>
        )
      }
      flush
    >
      <Facts
        facts={[
          [
            'Blueprint',
            blueprint !== null && (
              <AnchorLink key="blueprint" to={paths.blueprint} params={{ slug, blueprint }}>
                {blueprint}
              </AnchorLink>
            ),
          ],
          [
            blueprint === null ? 'Blueprint version' : 'Running',
            running && (
              <span key="runs" className="ag-stack">
                {version(running)}
                <MachineChangeNote change={versionByMachine(page)}>Changed on the machine</MachineChangeNote>
              </span>
            ),
          ],
          [
            'Requested',
            update?.wish && isOutstanding(update.wish.version, update.running) && (
              <WishedVersion key="wished" running={update.running} wished={update.wish.version} state={update.state} />
            ),
          ],
          ['Installed', versions.installed !== running && version(versions.installed)],
          ['Previous', version(versions.previous)],
          ['Last update', outcomeNote(applied)],
          ['Runtime', runtime?.version],
          [
            'Runtime requested',
            page.updates.runtime.wish && (
              <WishedVersion
                key="runtime"
                running={null}
                wished={page.updates.runtime.wish.version}
                state={page.updates.runtime.state}
              />
            ),
          ],
          ['Runtime on hold', page.updates.runtime.hold?.version],
          ['Previous runtime', runtime?.previous],
          ['Runtime pinned to', runtime?.pinned],
          ['Last runtime update', outcomeNote(runtime?.applied)],
        ]}
      />
    </Section>
  )
}
