import './groups.css'
import type { FleetGroup } from '@svc/api'
import type { Grouping } from '@svc/api/filter'
import { IconChevronRight } from '@tabler/icons-react'
import { count, Level, levelLooks, Text } from '../../ui/index.ts'
import { groupWords } from './lines.ts'

interface GroupLineProps {
  by: Grouping
  group: FleetGroup
  open: boolean
  onPress: () => void
}

/** The head of a group: its value, its worst state, and the numbers of its agents. All of it is a button. */
export const GroupLine = ({ by, group: { value, agents, worst, counts }, open, onPress }: GroupLineProps) => (
  // biome-ignore lint/a11y/useSemanticElements: see FleetList
  // biome-ignore lint/a11y/useFocusableInteractive: see FleetList
  <div role="gridcell" className="fleet-cell fleet-group">
    <IconChevronRight className="fleet-group-sign" data-open={open} size={16} aria-hidden />
    <Level level={worst === 'offline' ? null : worst} silent={worst === 'offline'} iconOnly />
    <button type="button" className="fleet-link" tabIndex={-1} onClick={onPress}>
      {value === null ? <span className="fleet-dim">{groupWords[by].none}</span> : <Text cut>{value}</Text>}
    </button>
    <span className="fleet-group-agents">{count(agents, 'agent')}</span>
    <span className="fleet-group-counts">
      {shownCounts.map(
        (name) =>
          counts[name] > 0 && (
            <span key={name} className="fleet-group-count" data-level={name} title={levelLooks[name].words}>
              <CountIcon name={name} />
              {counts[name].toLocaleString('en-US')}
              <span className="svc-hidden"> {levelLooks[name].words}</span>
            </span>
          ),
      )}
    </span>
  </div>
)

const shownCounts = ['bad', 'silent', 'warn', 'info', 'ok', 'stopped', 'never'] as const

function CountIcon({ name }: { name: (typeof shownCounts)[number] }) {
  const { icon: Icon } = levelLooks[name]
  return (
    <span className="svc-level" data-level={name}>
      <Icon size={14} aria-hidden />
    </span>
  )
}
