import './overview.css'
import type { Account as AccountFacts } from '@svc/protocol'
import { useQuery } from '@tanstack/react-query'
import { Fragment, type ReactNode, Suspense, useMemo } from 'react'
import { read } from '../../data/queries.ts'
import { dayName, lastDays, StackedBars, stack } from '../../ui/charts/index.ts'
import { part } from '../../ui/files.tsx'
import { dollars, serviceNow } from '../../ui/index.ts'
import { Section } from '../../ui/parts.tsx'
import { count, figure } from '../../ui/time/format.ts'
import { Facts } from '../../ui/values/Facts.tsx'
import type { Agent } from '../parts/agent.ts'
import { pauseByMachine } from '../parts/machine.ts'
import { Active } from './Active.tsx'
import { Alerts } from './Alerts.tsx'
import { Bindings } from './Bindings.tsx'
import { Gauges } from './Gauges.tsx'
import { Health } from './Health.tsx'
import { PanelSection } from './Panels.tsx'
import { arrange, type Columns, listedHealth } from './parts/arrange.ts'
import { Levels } from './parts/Levels.tsx'
import { StateDetail, TwoReporters } from './parts/StateDetail.tsx'
import { usageColumns } from './parts/usage.ts'
import { hasVersions, Versions } from './Versions.tsx'

/** Only agents without a level have a next step, so its code is apart. */
const NextStep = part(() => import('./NextStep.tsx'))

/** Shows the agent's last report, part by part. Parts that are missing in the report are not shown (2.1). */
export function Overview({ agent }: { agent: Agent }) {
  const { report, twoReporters } = agent.page
  if (report === null) return null
  const { state } = report
  const { wide, narrow } = arrange(agent.page, hasVersions(agent))
  return (
    <div className="svc-column ag-overview" data-silent={agent.silent}>
      {twoReporters && <TwoReporters />}
      {(state?.detail || agent.silent || pauseByMachine(agent.page)) && <StateDetail agent={agent} />}
      {state?.level === undefined && !agent.silent && (
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
  health: (agent) => <Health agent={agent} items={listedHealth(agent.page)} />,
  panels: (agent) =>
    agent.page.report?.panels?.map((panel, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: panels have no id, and two may share type and title
      <PanelSection key={`${i}-${panel.type}`} agent={agent} panel={panel} />
    )),
  gauges: (agent) => <Gauges agent={agent} gauges={agent.page.report?.gauges ?? []} />,
  costs: (agent) => <Costs agent={agent} />,
  levels: (agent) => <Levels agent={agent} />,
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

const days = 30

/**
 * Shows the agent's costs of the last 30 days by day and model. If no cost was reported, shows the number of runs by
 * day; without runs, shows nothing.
 */
function Costs({ agent: { slug, page } }: { agent: Agent }) {
  const { data } = useQuery({
    ...read('GET /w/:slug/agents/:name/usage', { slug, name: page.name }, { days }),
    enabled: page.runs.kept > 0,
  })
  const today = new Date(serviceNow()).toISOString().slice(0, 10)
  const view = useMemo(() => {
    const { costs, columns } = usageColumns(data ?? [], lastDays(Date.parse(today), days))
    return { costs, stack: stack(columns) }
  }, [data, today])
  if (view.stack.total === 0) return null
  const runs = data?.reduce((sum, day) => sum + day.runs, 0) ?? 0
  return (
    <Section title={view.costs ? 'Cost, 30 days' : 'Runs, 30 days'} aside={view.costs && count(runs, 'run')}>
      <StackedBars
        title={view.costs ? 'Cost by day and model' : 'Runs by day'}
        stack={view.stack}
        format={view.costs ? dollars : figure}
        axis={view.costs ? (n) => (Number.isInteger(n) ? `$${figure(n)}` : dollars(n)) : figure}
        nameOf={dayName}
        whole={!view.costs}
      />
    </Section>
  )
}
