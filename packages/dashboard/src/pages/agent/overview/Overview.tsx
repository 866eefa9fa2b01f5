import type { Agent } from '../../../agents/parts/agent.ts'
import { pauseByMachine } from '../../../agents/parts/machine.ts'
import { Account } from './Account.tsx'
import { Active } from './Active.tsx'
import { Alerts } from './Alerts.tsx'
import { Bindings } from './Bindings.tsx'
import { Costs } from './Costs.tsx'
import { Gauges } from './Gauges.tsx'
import { Health } from './Health.tsx'
import { Levels } from './Levels.tsx'
import { PanelSection } from './Panels.tsx'
import { StateDetail, TwoReporters } from './StateDetail.tsx'
import { hasVersions, Versions } from './Versions.tsx'
import './overview.css'

/** Shows the agent's last report, part by part. Parts that are missing in the report are not shown (2.1). */
export function Overview({ agent }: { agent: Agent }) {
  const { report, twoReporters } = agent.page
  if (report === null) return null
  const { state, health, active, gauges, panels, account } = report
  return (
    <div className="svc-column ag-overview" data-silent={agent.silent}>
      {twoReporters && <TwoReporters />}
      {(state?.detail || agent.silent || pauseByMachine(agent.page)) && <StateDetail agent={agent} />}
      <Alerts agent={agent} place="first" />
      <div className="svc-columns ag-columns">
        <div className="svc-column ag-column">
          {active && <Active agent={agent} runs={active} />}
          {agent.page.bindings.length > 0 && <Bindings agent={agent} />}
          {health && health.length > 0 && <Health agent={agent} items={health} />}
          {panels?.map((panel, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: panels have no id, and two may share type and title
            <PanelSection key={`${i}-${panel.type}`} agent={agent} panel={panel} />
          ))}
        </div>
        <div className="svc-column ag-column">
          {gauges && gauges.length > 0 && <Gauges agent={agent} gauges={gauges} />}
          <Costs agent={agent} />
          <Alerts agent={agent} place="beside" />
          <Levels agent={agent} />
          {account && Object.keys(account).length > 0 && <Account account={account} />}
          {hasVersions(agent) && <Versions agent={agent} />}
        </div>
      </div>
    </div>
  )
}
