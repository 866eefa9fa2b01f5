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
    <Level level={worst === 'offline' ? null : worst} offline={worst === 'offline'} iconOnly />
    <button type="button" className="fleet-link" tabIndex={-1} onClick={onPress}>
      {value === null ? <span className="fleet-dim">{groupWords[by]}</span> : <Text cut>{value}</Text>}
    </button>
    <span className="fleet-group-agents">{count(agents, 'agent')}</span>
    <span className="fleet-group-counts">
      {shownCounts.map(([name, look]) => {
        const { icon: Icon, words } = levelLooks[look]
        const number = counts[name]
        return (
          number > 0 && (
            <span key={name} className="fleet-group-count" data-level={look} title={words}>
              <span className="svc-level" data-level={look}>
                <Icon size={14} aria-hidden />
              </span>
              {number.toLocaleString('en-US')}
              <span className="svc-hidden"> {words}</span>
            </span>
          )
        )
      })}
    </span>
  </div>
)

/** The numbers that are shown, each with its look, in the order of the list. */
const shownCounts = [
  ['bad', 'bad'],
  ['silent', 'offline'],
  ['warn', 'warn'],
  ['info', 'info'],
  ['ok', 'ok'],
  ['stopped', 'stopped'],
  ['never', 'never'],
] as const
