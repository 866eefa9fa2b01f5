/** The marks of agents in the list: open alerts, failed updates, and requested or pinned runtimes. */
import type { AgentUpdateSummary, FleetRow } from '@svc/api'
import { IconArrowBackUp, IconBellFilled, IconLock, IconPin, IconRefreshDot, IconX } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { paths } from '../../paths.ts'
import { count } from '../../ui/index.ts'
import { wishWords } from '../../updates/parts/looks.ts'
import { failedUpdateOf } from './failed-update.ts'

interface AlertMarkProps {
  slug: string
  row: FleetRow
  /** True to show no link, because a narrow row is too small for one. */
  plain: boolean
}

/** The number of the agent's open alerts, with a link to its page, which lists them at the top. */
export function AlertMark({ slug, row: { name, alerts }, plain }: AlertMarkProps) {
  if (alerts.open === 0) return null
  const words = count(alerts.open, 'open alert')
  const sign = (
    <>
      <IconBellFilled size={14} aria-hidden />
      {alerts.open > 1 && <span aria-hidden>{alerts.open}</span>}
      <span className="svc-hidden">{words}</span>
    </>
  )
  if (plain)
    return (
      <span className="fleet-alert" title={words}>
        {sign}
      </span>
    )
  return (
    <Link to={paths.agent} params={{ slug, name }} className="fleet-alert" title={words} tabIndex={-1} preload={false}>
      {sign}
    </Link>
  )
}

const troubleIcons = { rolled_back: IconArrowBackUp, failed: IconX, held: IconLock } as const

/** Says that an update was rolled back, failed or is on hold; nothing otherwise. */
export function FailedUpdateMark({ updates }: { updates: AgentUpdateSummary }) {
  const failed = failedUpdateOf(updates)
  if (!failed) return null
  const Sign = troubleIcons[failed.is]
  return (
    <span className="fleet-trouble" data-is={failed.is} title={failed.says}>
      <Sign size={14} aria-hidden />
      <span aria-hidden>{failed.words}</span>
      <span className="svc-hidden">{failed.says}</span>
    </span>
  )
}

/** Marks an agent whose runtime has a requested or pinned version. */
export function RuntimeMark({ updates }: { updates: AgentUpdateSummary }) {
  const { runtimePinned, runtimeWished, runtimeWishState } = updates
  const [Icon, words] =
    runtimeWished !== null
      ? [IconRefreshDot, `Runtime ${runtimeWished} requested: ${wishWords[runtimeWishState].word}`]
      : runtimePinned !== null
        ? [IconPin, `Runtime pinned to ${runtimePinned} on its machine`]
        : []
  if (!Icon) return null
  return (
    <span className="fleet-mark" title={words}>
      <Icon size={14} aria-hidden />
      <span className="svc-hidden">{words}</span>
    </span>
  )
}
