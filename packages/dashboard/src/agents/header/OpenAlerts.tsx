import { paths } from '../../paths.ts'
import { count } from '../../ui/index.ts'
import { AnchorLink } from '../../ui/links.tsx'
import type { Agent } from '../parts/agent.ts'
import { useAgentAlerts } from '../parts/useAgentAlerts.ts'

/** The number of the agent's alerts that are open and not acknowledged. It leads to the tab that lists them. */
export default function OpenAlerts({ agent }: { agent: Agent }) {
  const { slug, page } = agent
  const { data = [] } = useAgentAlerts(agent)
  const open = data.filter(({ endedAt, acknowledged }) => endedAt === null && acknowledged === null).length
  if (open === 0) return null
  return (
    <AnchorLink to={paths.agent} params={{ slug, name: page.name }} fz="sm" className="ag-open-alert">
      {count(open, 'open alert')}
    </AnchorLink>
  )
}
