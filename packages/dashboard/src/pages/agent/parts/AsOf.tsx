/** D65: facts from an old status file are shown with the time at which it was written. */
import { Time, useOld } from '../../../ui/index.ts'
import type { Agent } from './agent.ts'

/** Shows `as of 13 min ago`; nothing while the file is new, or while the whole report is past. */
export function AsOf({ agent: { page, silent } }: { agent: Agent }) {
  const old = useOld(page.statusAt)
  if (!old || silent || page.statusAt === null) return null
  return (
    <span className="ag-as-of" data-late={page.statusLate}>
      as of <Time at={page.statusAt} />
    </span>
  )
}
