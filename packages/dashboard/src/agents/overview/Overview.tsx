import './overview.css'
import { SegmentedControl } from '@mantine/core'
import type { UsageDay } from '@svc/api'
import {
  type AgentAccount as AccountFacts,
  type ActiveRun,
  diskSpace,
  type HealthItem,
  missingSecrets,
} from '@svc/protocol'
import { useQuery } from '@tanstack/react-query'
import { Fragment, type ReactNode, Suspense, useMemo, useState } from 'react'
import { read } from '../../data/queries.ts'
import { StackedBars } from '../../ui/charts/StackedBars.tsx'
import { type Column, dayName, lastDays, stack } from '../../ui/charts/stack.ts'
import { part } from '../../ui/files.tsx'
import { dollars, dollarsOfAxis, Level, lastingText, serviceNow, Text, useClock } from '../../ui/index.ts'
import { Dotted, Section } from '../../ui/parts.tsx'
import { count, figure } from '../../ui/time/format.ts'
import { Facts } from '../../ui/values/Facts.tsx'
import { AskForLog } from '../parts/AskForLog.tsx'
import { AsOf } from '../parts/AsOf.tsx'
import type { Agent } from '../parts/agent.ts'
import { pauseByMachine } from '../parts/machine.ts'
import { Alerts } from './Alerts.tsx'
import { Bindings } from './Bindings.tsx'
import { Gauges } from './Gauges.tsx'
import { PanelSection } from './Panels.tsx'
import { arrange, type Columns, listedHealth, listedPanels, worstFirst } from './parts/arrange.ts'
import { History } from './parts/History.tsx'
import { isSaid, StateDetail, TwoReporters } from './parts/StateDetail.tsx'
import { Subjects } from './Subjects.tsx'
import { hasVersions, Versions } from './Versions.tsx'

/** Only agents without a level have a next step, so its code is apart. */
const NextStep = part(() => import('./NextStep.tsx'))

/** Only the agent of a machine has jobs. */
const Jobs = part(() => import('./Jobs.tsx'))

/** Shows the agent's last report, part by part. Parts that are missing in the report are not shown (2.1). */
export function Overview({ agent }: { agent: Agent }) {
  const { report, twoReporters } = agent.page
  if (report === null) return null
  const { state } = report
  const { wide, narrow } = arrange(agent.page, hasVersions(agent))
  return (
    <div className="svc-column ag-overview" data-offline={agent.offline}>
      {twoReporters && <TwoReporters />}
      <History agent={agent} />
      {(state?.detail || agent.offline || pauseByMachine(agent.page)) && <StateDetail agent={agent} />}
      {state?.level === undefined && !agent.offline && (
        <Suspense>
          <NextStep agent={agent} />
        </Suspense>
      )}
      <Alerts agent={agent} place="first" />
      <div className="svc-columns ag-columns">
        <div className="svc-column ag-column">
          <Parts agent={agent} parts={wide} />
        </div>
        <div className="svc-column ag-column">
          <Alerts agent={agent} place="beside" />
          <Parts agent={agent} parts={narrow} />
        </div>
      </div>
    </div>
  )
}

/** Makes each part of the overview. `arrange` names only the parts that are there. */
const partOf: Readonly<Record<Columns['wide'][number], (agent: Agent) => ReactNode>> = {
  active: (agent) => <Active agent={agent} runs={agent.page.report?.active ?? []} />,
  bindings: (agent) => <Bindings agent={agent} />,
  jobs: (agent) => (
    <Suspense>
      <Jobs agent={agent} />
    </Suspense>
  ),
  health: (agent) => <Health agent={agent} items={listedHealth(agent.page)} />,
  panels: (agent) =>
    listedPanels(agent.page.report).map((panel, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: panels have no id, and two may share type and title
      <PanelSection key={`${i}-${panel.type}`} agent={agent} panel={panel} />
    )),
  gauges: (agent) => <Gauges agent={agent} gauges={agent.page.report?.gauges ?? []} />,
  costs: (agent) => <Costs agent={agent} />,
  account: (agent) => <Account account={agent.page.report?.account ?? {}} />,
  versions: (agent) => <Versions agent={agent} />,
}

const Parts = ({ agent, parts }: { agent: Agent; parts: Columns['wide'] }) =>
  parts.map((part) => <Fragment key={part}>{partOf[part](agent)}</Fragment>)

/** Shows the AI account that the agent's machine uses (2.1). */
const Account = ({ account }: { account: AccountFacts }) => (
  <Section title="Account" flush>
    <Facts
      facts={[
        ['Organization', account.org],
        ['Plan', account.plan],
        ['E-mail', account.email],
      ]}
    />
  </Section>
)

/** The times of which costs are shown: the days, and the days that are one column. */
const costTimes = { '30': 1, '90': 1, '400': 7 } as const
type CostDays = keyof typeof costTimes

/**
 * Shows the agent's costs of the last 30, 90 or 400 days by model, in columns of a day or a week. If no cost was
 * reported, shows the number of runs; without kept runs, shows nothing.
 */
function Costs({ agent: { slug, page } }: { agent: Agent }) {
  const [days, setDays] = useState<CostDays>('30')
  const { data } = useQuery({
    ...read('GET /w/:slug/agents/:name/usage', { slug, name: page.name }, { days: Number(days) }),
    enabled: page.runs.kept > 0,
  })
  const today = new Date(serviceNow()).toISOString().slice(0, 10)
  const view = useMemo(() => {
    const { costs, columns } = usageColumns(data ?? [], lastDays(Date.parse(today), Number(days)))
    return { costs, stack: stack(joinedColumns(columns, costTimes[days])) }
  }, [data, today, days])
  if (!data || page.runs.kept === 0) return null
  const runs = data.reduce((sum, day) => sum + day.runs, 0) ?? 0
  const step = costTimes[days] === 1 ? 'day' : 'week'
  return (
    <Section
      title={`${view.costs ? 'Cost' : 'Runs'}, ${days} days`}
      aside={
        <span className="ag-cost-times">
          {view.costs && count(runs, 'run')}
          <SegmentedControl
            size="xs"
            data={Object.keys(costTimes).map((value) => ({ value, label: `${value} d` }))}
            value={days}
            onChange={(to) => setDays(to as CostDays)}
            aria-label="How many days"
          />
        </span>
      }
    >
      {view.stack.total > 0 ? (
        <StackedBars
          title={view.costs ? `Cost by ${step} and model` : `Runs by ${step}`}
          stack={view.stack}
          format={view.costs ? dollars : figure}
          axis={view.costs ? dollarsOfAxis : figure}
          nameOf={step === 'day' ? dayName : weekName}
          each={step}
          whole={!view.costs}
        />
      ) : (
        <p className="ag-quiet">No run ended in this time.</p>
      )}
    </Section>
  )
}

/** Shows the agent's runs in progress. The header says it if there are none. */
function Active({ agent, runs }: { agent: Agent; runs: readonly ActiveRun[] }) {
  const old = agent.page.statusOld
  return (
    <Section
      title={agent.offline || old ? 'Was running' : 'Running now'}
      flush
      aside={
        <Dotted parts={[old && <AsOf key="as-of" agent={agent} />, runs.length > 1 && count(runs.length, 'run')]} />
      }
    >
      <ul className="svc-rows">
        {runs.map((run, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: runs in progress have no id
          <li key={`${i}-${run.started}`} className="ag-active">
            <One agent={agent} run={run} until={agent.offline ? agent.page.seenAt : old ? agent.page.statusAt : null} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

function One({ agent, run, until }: { agent: Agent; run: ActiveRun; until: number | null }) {
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
            <Dotted
              parts={[
                run.model !== undefined && <Text key="model">{run.model}</Text>,
                run.started !== undefined && <RunningSince key="since" started={run.started} until={until} />,
                run.steps !== undefined && `${figure(run.steps)} ${run.steps === 1 ? 'step' : 'steps'}`,
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
    <span>
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
              <Dotted
                parts={[
                  item.detail !== undefined && !isSaidOf(agent, item) && <Text key="detail">{item.detail}</Text>,
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

/** True if the top of the page says the detail of an item that makes the agent's level. */
const isSaidOf = (agent: Agent, { level, detail }: HealthItem): boolean =>
  level === agent.page.report?.state?.level && detail !== undefined && isSaid(agent, detail)

/** The name of a column of a week, by its first day. */
const weekName = (key: string): string => `Week from ${dayName(key)}`

/** Adds up each `size` columns to one with the key of the first, counted from the end. */
export function joinedColumns(columns: readonly Column[], size: number): Column[] {
  if (size === 1) return [...columns]
  const joined: Column[] = []
  for (const [i, { key, parts }] of columns.entries()) {
    const isFirst = i === 0 || (columns.length - i) % size === 0
    if (isFirst) joined.push({ key, parts: Object.create(null) })
    const sums = joined.at(-1)?.parts as Record<string, number>
    for (const [name, value] of Object.entries(parts)) sums[name] = (sums[name] ?? 0) + value
  }
  return joined
}

/** The name for the part of a day's cost that belongs to no model. */
const unnamed = 'model not named'

/**
 * The columns of the chart of an agent's costs: one for each day, also for days without runs. The columns show the cost
 * by model if any cost was reported, otherwise the number of runs.
 */
export function usageColumns(
  days: readonly UsageDay[],
  keys: readonly string[],
): { costs: boolean; columns: Column[] } {
  const byDay = new Map(days.map((day) => [day.day, day]))
  const costs = days.some((day) => day.cost > 0 || Object.values(day.models).some((cost) => cost > 0))
  const columns = keys.map((key) => {
    const day = byDay.get(key)
    return { key, parts: day === undefined ? {} : costs ? costParts(day) : { runs: day.runs } }
  })
  return { costs, columns }
}

/**
 * The costs of a day by model. The part of the day's cost that no model accounts for is added as `model not named`,
 * unless it is only a rounding error.
 */
function costParts({ cost, models }: UsageDay): Record<string, number> {
  const named = Object.values(models).reduce((sum, one) => sum + one, 0)
  const rest = cost - named
  return rest > 0.000_05 ? { ...models, [unnamed]: rest } : { ...models }
}
