import { useOnPhone } from '../../ui/page/useOnPhone.ts'
import './overview.css'
import { type ActiveRun, diskSpace, type HealthItem, missingSecrets } from '@svc/protocol'
import { Fragment, type ReactNode, Suspense } from 'react'
import { lazyPart } from '../../ui/files.tsx'
import { Level, lastingText, Text, useClock } from '../../ui/index.ts'
import { DottedParts, Section } from '../../ui/parts.tsx'
import { count, figure } from '../../ui/time/format.ts'
import { AskForLog } from '../parts/AskForLog.tsx'
import { AsOf } from '../parts/AsOf.tsx'
import type { Agent } from '../parts/agent.ts'
import { pauseByMachine } from '../parts/machine.ts'
import { Alerts, OpenAlerts } from './Alerts.tsx'
import { Costs } from './Costs.tsx'
import { arrange, type Columns, listedHealth, listedPanels, partsOfNow, worstFirst } from './parts/arrange.ts'
import { History } from './parts/History.tsx'
import { isShownAtTop, StateDetail, TwoReporters } from './parts/StateDetail.tsx'
import { Subjects } from './Subjects.tsx'

/** Only agents without a level have a next step, so its code is loaded separately. */
const NextStep = lazyPart(() => import('./NextStep.tsx'))

/** Not all agents have bindings, panels, gauges, an AI account or versions, so their code is loaded separately. */
const Bindings = lazyPart(async () => ({ default: (await import('./Bindings.tsx')).Bindings }))
const PanelSection = lazyPart(async () => ({ default: (await import('./Panels.tsx')).PanelSection }))
const Gauges = lazyPart(async () => ({ default: (await import('./Gauges.tsx')).Gauges }))
const Account = lazyPart(() => import('./Account.tsx'))
const Versions = lazyPart(async () => ({ default: (await import('./Versions.tsx')).Versions }))
/** The approximate heights of these parts in pixels, which keep the room free until their code is loaded. */
const heights = { binding: 90, panel: 150, gauge: 55 } as const

/** The jobs of a machine. Few agents have some, so the code is loaded separately. */
const Jobs = lazyPart(() => import('./Jobs.tsx'))

/** Shows the agent's last report, part by part. Parts that are missing in the report are not shown (2.1). */
export function Overview({ agent }: { agent: Agent }) {
  const { report, twoReporters } = agent.page
  const onPhone = useOnPhone()
  if (report === null) return null
  const columns = arrange(agent.page)
  const now = onPhone ? partsOfNow(agent.page, columns) : []
  return (
    <div className="svc-column ag-overview" data-offline={agent.offline}>
      {twoReporters && <TwoReporters />}
      {(report.state?.detail || agent.offline || pauseByMachine(agent.page)) && <StateDetail agent={agent} />}
      <OpenAlerts agent={agent} />
      <History agent={agent} isSplit={onPhone}>
        {report.state?.level === undefined && !agent.offline && (
          <Suspense>
            <NextStep agent={agent} />
          </Suspense>
        )}
        {now.length > 0 && (
          <div className="svc-column ag-column">
            <Parts agent={agent} parts={now} />
          </div>
        )}
      </History>
      <div className="svc-columns ag-columns">
        <div className="svc-column ag-column">
          <Parts agent={agent} parts={columns.wide.filter((part) => !now.includes(part))} />
        </div>
        <div className="svc-column ag-column">
          <Alerts agent={agent} />
          <Parts agent={agent} parts={columns.narrow} />
        </div>
      </div>
    </div>
  )
}

/** Makes each part of the overview. `arrange` names only the parts that are there. */
const partOf: Readonly<Record<Columns['wide'][number], (agent: Agent) => ReactNode>> = {
  active: (agent) => <ActiveRuns agent={agent} runs={agent.page.report?.active ?? []} />,
  bindings: (agent) => (
    <Suspense fallback={<div style={{ height: 50 + agent.page.bindings.length * heights.binding }} />}>
      <Bindings agent={agent} />
    </Suspense>
  ),
  jobs: (agent) => (
    <Suspense>
      <Jobs agent={agent} />
    </Suspense>
  ),
  health: (agent) => <Health agent={agent} items={listedHealth(agent.page)} />,
  panels: (agent) =>
    listedPanels(agent.page.report).map((panel, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: panels have no id, and two may share type and title
      <Suspense key={`${i}-${panel.type}`} fallback={<div style={{ height: heights.panel }} />}>
        <PanelSection agent={agent} panel={panel} />
      </Suspense>
    )),
  gauges: (agent) => {
    const gauges = agent.page.report?.gauges ?? []
    return (
      <Suspense fallback={<div style={{ height: 50 + gauges.length * heights.gauge }} />}>
        <Gauges agent={agent} gauges={gauges} />
      </Suspense>
    )
  },
  costs: (agent) => <Costs agent={agent} />,
  account: (agent) => (
    <Suspense>
      <Account account={agent.page.report?.account ?? {}} />
    </Suspense>
  ),
  versions: (agent) => (
    <Suspense>
      <Versions agent={agent} />
    </Suspense>
  ),
}

const Parts = ({ agent, parts }: { agent: Agent; parts: Columns['wide'] }) =>
  parts.map((part) => <Fragment key={part}>{partOf[part](agent)}</Fragment>)

/** Shows the agent's runs in progress. */
function ActiveRuns({ agent, runs }: { agent: Agent; runs: readonly ActiveRun[] }) {
  const old = agent.page.statusOld
  return (
    <Section
      title={agent.offline || old ? 'Was running' : 'Running now'}
      flush
      aside={
        <DottedParts
          parts={[old && <AsOf key="as-of" agent={agent} />, runs.length > 1 && count(runs.length, 'run')]}
        />
      }
    >
      <ul className="svc-rows">
        {runs.map((run, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: runs in progress have no id
          <li key={`${i}-${run.started}`} className="ag-active">
            <ActiveRunLine
              agent={agent}
              run={run}
              until={agent.offline ? agent.page.seenAt : old ? agent.page.statusAt : null}
            />
          </li>
        ))}
      </ul>
    </Section>
  )
}

function ActiveRunLine({ agent, run, until }: { agent: Agent; run: ActiveRun; until: number | null }) {
  return (
    <>
      <div className="ag-active-head">
        <span>
          {run.kind !== undefined && (
            <strong>
              <Text>{run.kind}</Text>
            </strong>
          )}{' '}
          <span className="ag-quiet">
            <DottedParts
              parts={[
                run.model !== undefined && <Text key="model">{run.model}</Text>,
                run.started !== undefined && <RunningSince key="since" started={run.started} until={until} />,
                run.steps !== undefined && `${figure(run.steps)}\u00a0${run.steps === 1 ? 'step' : 'steps'}`,
              ]}
            />
          </span>
        </span>
        {run.log !== undefined && <AskForLog agent={agent} name={run.log} />}
      </div>
      {run.detail !== undefined && (
        <p>
          <Text lines>{run.detail}</Text>
        </p>
      )}
      {run.subjects && run.subjects.length > 0 && <Subjects subjects={run.subjects} />}
    </>
  )
}

/**
 * Shows how long a run has lasted. The time counts on only while the agent reports and its status file is new (D20,
 * D65), because otherwise nobody knows whether the run continues.
 */
function RunningSince({ started, until }: { started: number; until: number | null }) {
  const words = useClock((now) => lastingText((until ?? now) - started * 1000))
  return (
    <span className="ag-nowrap">
      {until === null ? 'for' : 'had run for'} {words}
    </span>
  )
}

/**
 * True if the runtime itself added this health item, which is recognised by its name. Such an item is as new as the
 * report, while all other items come from the status file and are as old as that file (D65).
 */
const isOfRuntime = ({ name }: HealthItem): boolean =>
  name === missingSecrets ||
  name === diskSpace ||
  /^(Process|Programs|Status file|Binding [a-z][a-z0-9_]*)$/.test(name ?? '')

/**
 * Shows the agent's health items, the worst first. If the status file is old and the agent is not offline, the items
 * from the status file also show when the file was written.
 */
function Health({ agent, items }: { agent: Agent; items: readonly HealthItem[] }) {
  const old = agent.page.statusOld && !agent.offline
  return (
    <Section title="Health" flush>
      <ul className="svc-rows">
        {worstFirst(items).map((item, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: items have no id; names may be missing or repeat
          <li key={`${i}-${item.name}`} className="ag-health">
            <span className="ag-health-level">
              {item.level === undefined ? <span className="ag-quiet">No level</span> : <Level level={item.level} />}
            </span>
            {item.name !== undefined && (
              <span className="ag-health-name">
                <Text>{item.name}</Text>
              </span>
            )}
            <span className="ag-quiet">
              <DottedParts
                parts={[
                  item.detail !== undefined && !isDetailShownAtTop(agent, item) && (
                    <Text key="detail">{item.detail}</Text>
                  ),
                  old && !isOfRuntime(item) && <AsOf key="as-of" agent={agent} />,
                ]}
              />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}

/** True if the item has the agent's level, and the top of the page already says the detail of the item. */
const isDetailShownAtTop = (agent: Agent, { level, detail }: HealthItem): boolean =>
  level === agent.page.report?.state?.level && detail !== undefined && isShownAtTop(agent, detail)
