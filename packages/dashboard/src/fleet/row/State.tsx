import type { FleetRow } from '@svc/api'
import { pausedLabel } from '@svc/protocol'
import { IconPlayerPauseFilled } from '@tabler/icons-react'
import { Level, PlainTime, Text, useReportOverdue } from '../../ui/index.ts'
import { AlertMark } from './Marks.tsx'

/** Says whether the agent counts as offline and, if not, whether its status file is old. */
function useOfflineAndOld({ silentAt, statusOld }: FleetRow): { offline: boolean; old: boolean } {
  const offline = useReportOverdue(silentAt)
  return { offline, old: statusOld && !offline }
}

/** Shows what the agent does or, if it does nothing, the detail of its state; nothing while it is offline. */
export function AgentDoing({ row }: { row: FleetRow }) {
  const { offline, old } = useOfflineAndOld(row)
  const doingText = row.doing ?? row.detail
  if (offline || doingText === null) return null
  return (
    <span className="fleet-label fleet-now">
      {old && <span className="fleet-was">was </span>}
      <Text cut>{doingText}</Text>
    </span>
  )
}

interface StateProps {
  slug: string
  row: FleetRow
  narrow: boolean
}

/**
 * Shows the level and label of an agent. For one that is offline or stopped it shows that, then “was” and its last
 * label.
 */
export function State({ slug, row, narrow }: StateProps) {
  const { offline, old } = useOfflineAndOld(row)
  const { label } = row
  const stopped = row.stopped !== null
  const gone = offline || stopped
  const paused = label === pausedLabel && !gone
  return (
    <>
      <Level
        level={gone && label !== null ? null : row.level}
        offline={offline}
        stopped={stopped}
        old={old}
        late={old && row.statusLate}
        lacking={row.secretsMissing}
        never={row.silentAt === null && !stopped}
        iconOnly={label !== null && !gone}
      />
      {label !== null && (
        <span className="fleet-label" data-past={gone || old}>
          {gone && <span className="fleet-was">was </span>}
          {paused && <IconPlayerPauseFilled size={13} aria-hidden />}
          <Text cut>{label}</Text>
        </span>
      )}
      {old && row.statusAt !== null && (
        <span className="fleet-age" data-late={row.statusLate}>
          <PlainTime at={row.statusAt} />
        </span>
      )}
      <AlertMark slug={slug} row={row} plain={narrow} />
    </>
  )
}
