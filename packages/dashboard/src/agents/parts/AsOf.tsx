/** The age of the agent's status file, which the page shows beside facts from a file that is old (D65). */
import { Time } from '../../ui/index.ts'
import type { Agent } from './agent.ts'

/**
 * Shows the age of the agent's status file, such as `as of 13 min ago`. Shows nothing while the file is new, or if the
 * agent is offline, because then the whole report is old.
 */
export function AsOf({ agent: { page, offline } }: { agent: Agent }) {
  if (!page.statusOld || offline || page.statusAt === null) return null
  return (
    <span className="ag-as-of" data-late={page.statusLate}>
      as of <Time at={page.statusAt} />
    </span>
  )
}
