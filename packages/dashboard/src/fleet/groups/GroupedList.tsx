import './groups.css'
import type { Fleet, FleetGroup } from '@svc/api'
import type { Grouping } from '@svc/api/filter'
import { IconChevronRight } from '@tabler/icons-react'
import { type ComponentProps, type KeyboardEvent, useCallback, useState } from 'react'
import type { FleetQuery } from '../../data/api.ts'
import { leftOffIn } from '../../data/left-off.ts'
import { count, ErrorNote, Level, levelLooks, Text } from '../../ui/index.ts'
import { WaitingPage } from '../../ui/pages/WaitingPage.tsx'
import { FleetList } from '../FleetList.tsx'
import { groupWords } from './lines.ts'
import { useGroups } from './useGroups.ts'

interface GroupedListProps extends Pick<ComponentProps<typeof FleetList>, 'slug' | 'view' | 'filter' | 'selection'> {
  by: Grouping
  query: FleetQuery
  /** The list without groups. */
  head: Fleet
}

/** The open groups of each list, so that a person finds them open after a visit to an agent. */
const openedBefore = new Map<string, ReadonlySet<string | null>>()

/** The list of agents by tag, host or blueprint. All groups are folded at first. */
export default function GroupedList({ by, query, head, ...list }: GroupedListProps) {
  const { slug } = list
  const [range, setRange] = useState<readonly [number, number]>([0, 0])
  const [isOpen, toggle] = useOpenGroups(`${slug} ${by}`)
  const { shown, lines, groups, late, error, retry } = useGroups({ slug, query, by, head, isOpen, range })
  if (error) return <ErrorNote error={error} retry={retry} />
  if (!shown || !lines || !groups) return <WaitingPage />
  const left = leftOffIn(groups)
  const headAt = (line: number) => {
    const { group, index } = lines.at(line) ?? {}
    if (!group || index !== undefined) return undefined
    const open = isOpen(group.value)
    return { open, line: <GroupLine by={by} group={group} open={open} onPress={() => toggle(group.value)} /> }
  }
  const fold = (event: KeyboardEvent) => {
    const head = event.target instanceof HTMLElement ? event.target.closest('[data-row][aria-expanded]') : null
    const wanted = { ArrowRight: 'false', ArrowLeft: 'true' }[event.key]
    if (wanted !== undefined && head?.getAttribute('aria-expanded') === wanted) head.querySelector('button')?.click()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the rows have the focus, and this hears their keys
    <div onKeyDown={fold}>
      <p className="fleet-group-note">
        {count(groups.groups.length + left, 'group')}
        {by === 'tag' && '. Agents with several tags are in several.'}
        {left > 0 && ` The last ${count(left, 'group')} are not listed: filter the list to see them.`}
      </p>
      <FleetList
        {...list}
        shown={shown}
        late={late}
        headAt={headAt}
        onRange={(first, last) => {
          if (first !== range[0] || last !== range[1]) setRange([first, last])
        }}
      />
    </div>
  )
}

function useOpenGroups(list: string) {
  const [state, setState] = useState({ list, opened: openedBefore.get(list) ?? new Set<string | null>() })
  if (state.list !== list) setState({ list, opened: openedBefore.get(list) ?? new Set() })
  const { opened } = state
  const isOpen = useCallback((value: string | null) => opened.has(value), [opened])
  const toggle = (value: string | null) => {
    const next = new Set(opened)
    if (!next.delete(value)) next.add(value)
    openedBefore.set(list, next)
    setState({ list, opened: next })
  }
  return [isOpen, toggle] as const
}

interface GroupLineProps {
  by: Grouping
  group: FleetGroup
  open: boolean
  onPress: () => void
}

/** The head of a group: its value, its worst state, and the numbers of its agents. All of it is a button. */
const GroupLine = ({ by, group: { value, agents, worst, counts }, open, onPress }: GroupLineProps) => (
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
