// biome-ignore-all lint/a11y/useSemanticElements: see FleetList
// biome-ignore-all lint/a11y/useFocusableInteractive: see FleetList
import './groups.css'
import { Checkbox } from '@mantine/core'
import type { FleetGroup } from '@svc/api'
import { type Grouping, mapStates } from '@svc/api/filter'
import { IconChevronRight } from '@tabler/icons-react'
import { useMemo } from 'react'
import { useChange } from '../../ui/dialogs/useChange.ts'
import { Cost, Level, levelLooks, Text } from '../../ui/index.ts'
import { backgroundOf, columnCount, type StripBackground, type StripStretch } from '../row/day.ts'
import type { GroupBox } from './boxes.ts'
import { noGroupWords } from './lines.ts'

interface GroupLineProps {
  by: Grouping
  group: FleetGroup
  /** The states that have a column: those in which any group has agents. */
  states: readonly GroupState[]
  /** The number of agents of the largest group, whose bar is the longest one. */
  largest: number
  open: boolean
  box: GroupBox | undefined
  onPress: () => void
}

/**
 * The head of a group: its value, its worst state, its number of agents, and the number in each state. A press anywhere
 * on it, except on its checkbox, opens or closes the group.
 */
export function GroupLine({ by, group, states, largest, open, box, onPress }: GroupLineProps) {
  const { value, agents, worst, counts } = group
  const bar = useMemo(() => groupBar(group, largest), [group, largest])
  return (
    <>
      {box && <GroupCheckbox box={box} name={value ?? noGroupWords[by]} />}
      <div role="gridcell" className="fleet-cell fleet-group">
        <span className="fleet-group-name">
          <IconChevronRight className="fleet-group-sign" data-open={open} size={16} aria-hidden />
          <Level level={worst === 'offline' ? null : worst} offline={worst === 'offline'} iconOnly />
          <button type="button" className="fleet-link" tabIndex={-1} onClick={onPress}>
            {value === null ? <span className="fleet-dim">{noGroupWords[by]}</span> : <Text cut>{value}</Text>}
          </button>
        </span>
        <span className="fleet-group-agents">
          {agents.toLocaleString('en-US')}
          <span className="fleet-group-unit"> {agents === 1 ? 'agent' : 'agents'}</span>
        </span>
        <span className="fleet-strip fleet-group-bar" style={bar} aria-hidden />
        <span className="fleet-group-counts">
          {states.map(([name, look]) => {
            const { icon: Icon, words } = levelLooks[look]
            const number = counts[name]
            return (
              <span key={name} className="fleet-group-count" data-level={look} data-none={number === 0} title={words}>
                {number > 0 && (
                  <>
                    <span className="svc-level" data-level={look}>
                      <Icon size={14} aria-hidden />
                    </span>
                    {number.toLocaleString('en-US')}
                    <span className="svc-hidden"> {words}</span>
                  </>
                )}
              </span>
            )
          })}
        </span>
        <span className="fleet-group-cost">
          <Cost usd={group.costToday ?? null} />
        </span>
      </div>
    </>
  )
}

function GroupCheckbox({ box, name }: { box: GroupBox; name: string }) {
  const { busy, error, submit } = useChange(box.press)
  return (
    <div className="fleet-cell fleet-box" role="gridcell">
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the label contains the checkbox and widens its target */}
      <label>
        <Checkbox
          size="xs"
          checked={box.chosen === 'all'}
          indeterminate={box.chosen === 'some'}
          error={error !== null}
          onChange={() => !busy && submit()}
          aria-label={error === null ? `Select all of ${name}` : `Could not load ${name}. Select it again to retry.`}
          tabIndex={-1}
        />
      </label>
    </div>
  )
}

/** The headings of the list while all groups are folded. */
export const GroupHeadings = ({ by, states }: Pick<GroupLineProps, 'by' | 'states'>) => (
  <div role="columnheader" className="fleet-cell fleet-group">
    <span className="fleet-group-name">{headings[by]}</span>
    <span className="fleet-group-agents">Agents</span>
    <span className="fleet-group-bar">States</span>
    <span className="fleet-group-counts">
      {states.map(([name, look]) => {
        const { icon: Icon, words } = levelLooks[look]
        return (
          <span key={name} className="fleet-group-count" data-level={look}>
            <span className="svc-level" data-level={look}>
              <Icon size={13} aria-hidden />
            </span>
            {words}
          </span>
        )
      })}
    </span>
    <span className="fleet-group-cost">Cost today</span>
  </div>
)

const headings: Readonly<Record<Grouping, string>> = { tag: 'Tag', host: 'Host', blueprint: 'Blueprint' }

/** The counted states, each with its look, in the order of the list. */
const countedStates = [
  ['bad', 'bad'],
  ['silent', 'offline'],
  ['warn', 'warn'],
  ['info', 'info'],
  ['ok', 'ok'],
  ['stopped', 'stopped'],
  ['never', 'never'],
] as const
type GroupState = (typeof countedStates)[number]

/** The states in which these groups have agents. */
export const statesOf = (groups: readonly Pick<FleetGroup, 'counts'>[]): GroupState[] =>
  countedStates.filter(([name]) => groups.some(({ counts }) => counts[name] > 0))

/** The minimum width of a state in the bar, in columns of a strip, so that one agent among thousands is visible. */
const minColumns = 2

/**
 * The background of a group's bar, drawn like the strips of rows (row/day.ts). The bar of the `largest` group has the
 * full length, the others are shorter in proportion. The worst states are on the left.
 */
export function groupBar(
  { agents, states = [] }: Pick<FleetGroup, 'agents' | 'states'>,
  largest: number,
): StripBackground {
  const there = mapStates.flatMap((state, i) => {
    const number = states[i] ?? 0
    return number > 0 ? [{ state: state === 'never' ? ('none' as const) : state, number }] : []
  })
  const length = Math.max(there.length * minColumns, (columnCount * agents) / Math.max(1, largest))
  const spare = length - there.length * minColumns
  const stretches: StripStretch[] = []
  for (const { state, number } of there) {
    const from = stretches.at(-1)?.to ?? 0
    stretches.push({ state, from, to: from + minColumns + (spare * number) / agents })
  }
  return backgroundOf(stretches)
}
