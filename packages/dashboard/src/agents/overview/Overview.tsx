import { Fragment, type ReactNode, Suspense } from 'react'
import { part } from '../../ui/files.tsx'
import type { Agent } from '../parts/agent.ts'
import { pauseByMachine } from '../parts/machine.ts'
import { Account } from './Account.tsx'
import { Active } from './Active.tsx'
import { Alerts } from './Alerts.tsx'
import { Bindings } from './Bindings.tsx'
import { Costs } from './Costs.tsx'
import { Gauges } from './Gauges.tsx'
import { Health } from './Health.tsx'
import { PanelSection } from './Panels.tsx'
import { arrange, type Columns, listedHealth } from './parts/arrange.ts'
import { Levels } from './parts/Levels.tsx'
import { StateDetail, TwoReporters } from './parts/StateDetail.tsx'
import { hasVersions, Versions } from './Versions.tsx'
import './overview.css'

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
