import { Button, Text as Words } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { listBefore } from '../../data/returning.ts'
import { type AgentTab, paths } from '../../paths.ts'
import { lazyPart } from '../../ui/files.tsx'
import { Level, Text, Time } from '../../ui/index.ts'
import { AnchorLink } from '../../ui/links.tsx'
import { DottedParts } from '../../ui/parts.tsx'
import { WishedVersion } from '../../updates/parts/Wished.tsx'
import { TagsDialog } from '../dialogs/index.ts'
import { AsOf } from '../parts/AsOf.tsx'
import type { Agent } from '../parts/agent.ts'
import { AgentMenu } from './AgentMenu.tsx'
import { Controls } from './Controls.tsx'
import { Heartbeat } from './Heartbeat.tsx'

/** The number of open alerts. The tab that lists the alerts does not need it, so its code is loaded separately. */
const OpenAlerts = lazyPart(() => import('./OpenAlerts.tsx'))

/** The top of the agent's page: the agent's name, level, last report and controls. */
export function Header({ agent, tab }: { agent: Agent; tab: AgentTab }) {
  const { slug, page, offline } = agent
  const { report } = page
  const old = page.statusOld && !offline
  const update = page.updates.blueprint
  const version = page.blueprint === null ? null : (page.versions.running ?? page.versions.installed)
  return (
    <header className="svc-head">
      <div>
        <AnchorLink to={paths.fleet} params={{ slug }} {...listBefore(slug)} resetScroll={false} fz="xs" c="dimmed">
          Agents
        </AnchorLink>
        <div className="ag-name">
          <h1>{page.name}</h1>
          <Level
            level={report?.state?.level}
            offline={offline}
            stopped={page.stopped !== null}
            old={old}
            late={old && page.statusLate}
            lacking={page.secretsMissing}
            never={page.seenAt === null}
          />
          {report?.state?.label && (
            <span className="ag-label" data-offline={offline || old}>
              <Text>{report.state.label}</Text>
            </span>
          )}
          <AsOf agent={agent} />
        </div>
        <Words component="div" c="dimmed" fz="sm">
          <DottedParts
            parts={[
              <span key="heard">
                <LastHeard agent={agent} />
                <Heartbeat agent={agent} />
              </span>,
              report?.active?.length === 0 && !offline && !old && 'nothing is running',
              report?.agent?.version && report.agent.version !== version && (
                <>
                  version <Text>{report.agent.version}</Text>
                </>
              ),
              report?.agent?.host && (
                <>
                  on <Text>{report.agent.host}</Text>
                </>
              ),
              page.blueprint && (
                <>
                  blueprint{' '}
                  <AnchorLink
                    to={paths.blueprint}
                    params={{ slug, blueprint: page.blueprint }}
                    search={version === null ? {} : { version }}
                    fz="sm"
                  >
                    <Text>{version === null ? page.blueprint : `${page.blueprint} ${version}`}</Text>
                  </AnchorLink>
                  {update && (
                    <>
                      {' '}
                      <WishedVersion
                        running={update.running}
                        wished={update.wish?.version ?? null}
                        state={update.state}
                      />
                    </>
                  )}
                </>
              ),
              tab !== 'overview' && (
                <Suspense>
                  <OpenAlerts agent={agent} />
                </Suspense>
              ),
            ]}
          />
        </Words>
        <Tags agent={agent} />
      </div>
      <div className="ag-actions">
        <Controls agent={agent} />
        <AgentMenu agent={agent} />
      </div>
    </header>
  )
}

/**
 * Shows when the agent last reported or, before its first report, when it was added. If the agent is stopped or offline
 * (D20), the time is emphasised, because everything on the page is as old as the last report.
 */
function LastHeard({ agent: { page, offline } }: { agent: Agent }) {
  if (page.seenAt === null)
    return (
      <>
        added <Time at={page.createdAt} />
        {page.createdBy !== null && (
          <>
            {' '}
            by <Text>{page.createdBy}</Text>
          </>
        )}
      </>
    )
  if (page.stopped !== null)
    return (
      <strong>
        Stopped on its machine, <Time at={page.seenAt} />
      </strong>
    )
  return offline ? (
    <strong className="ag-offline">
      Offline: last report <Time at={page.seenAt} />
    </strong>
  ) : (
    <>
      reported <Time at={page.seenAt} />
    </>
  )
}

/** The tags of the agent, each a link to the agents that have it, and a button to change them; nothing without tags. */
function Tags({ agent: { slug, page } }: { agent: Agent }) {
  const [open, setOpen] = useState(false)
  if (page.tags.length === 0 && !open) return null
  return (
    <div className="ag-tags">
      <ul aria-label="Tags">
        {page.tags.map((tag) => (
          <li key={tag}>
            <Link to={paths.fleet} params={{ slug }} search={{ q: `tag:${tag}` }} className="ag-tag">
              <span>{tag}</span>
            </Link>
          </li>
        ))}
      </ul>
      {page.canAct && (
        <Button size="compact-xs" variant="subtle" onClick={() => setOpen(true)}>
          Tags…
        </Button>
      )}
      {open && (
        <Suspense>
          <TagsDialog slug={slug} names={[page.name]} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  )
}
