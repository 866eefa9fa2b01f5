import type { Fleet, FleetGroup, FleetRow } from '@svc/api'
import type { Grouping } from '@svc/api/filter'
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { type ComponentProps, type KeyboardEvent, useCallback, useMemo, useState } from 'react'
import type { FleetQuery } from '../data/api.ts'
import { leftOffIn } from '../data/left-off.ts'
import { fleetQuery, fleetWindow, read } from '../data/queries.ts'
import { count, ErrorNote } from '../ui/index.ts'
import { WaitingPage } from '../ui/pages/WaitingPage.tsx'
import { FleetList } from './FleetList.tsx'
import { agentsByGroup, chosenPartOf, type GroupBox } from './groups/boxes.ts'
import { GroupHeadings, GroupLine, statesOf } from './groups/GroupLine.tsx'
import { type GroupedLines, groupLinesOf } from './groups/lines.ts'
import { findAgentNames, type Selection } from './useSelection.ts'

interface GroupedListProps extends Pick<ComponentProps<typeof FleetList>, 'slug' | 'search' | 'filter' | 'selection'> {
  by: Grouping
  query: FleetQuery
  /** The answer of the service for the list without groups, which has the totals. */
  head: Fleet
}

/** The open groups of each list, so that a person finds them open after a visit to an agent. */
const openedBefore = new Map<string, ReadonlySet<string | null>>()

/** The list of agents by tag, host or blueprint. All groups are folded at first. */
export default function GroupedList({ by, query, head, ...list }: GroupedListProps) {
  const { slug } = list
  const [range, setRange] = useState<readonly [number, number]>([0, 0])
  const [isOpen, toggle] = useOpenGroups(`${slug} ${by}`)
  const { lines, row, groups, late, error, retry } = useGroups({ slug, query, by, isOpen, range })
  const boxOf = useGroupBoxes({ slug, filter: list.filter, by, selection: list.selection })
  if (error) return <ErrorNote error={error} retry={retry} />
  if (!lines || !groups) return <WaitingPage />
  const left = leftOffIn(groups)
  const number = count(groups.groups.length + left, 'group')
  const states = statesOf(groups.groups)
  const largest = Math.max(...groups.groups.map(({ agents }) => agents))
  const headAt = (line: number) => {
    const { group, index } = lines.at(line) ?? {}
    if (!group || index !== undefined) return undefined
    const open = isOpen(group.value)
    const box = boxOf(group)
    const props = { by, group, states, largest, open, box }
    return { open, box, line: <GroupLine {...props} onPress={() => toggle(group.value)} /> }
  }
  const fold = (event: KeyboardEvent) => {
    const head = event.target instanceof HTMLElement ? event.target.closest('[data-row][aria-expanded]') : null
    const wanted = { ArrowRight: 'false', ArrowLeft: 'true' }[event.key]
    if (wanted !== undefined && head?.getAttribute('aria-expanded') === wanted) head.querySelector('button')?.click()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the rows have the focus, and their keys bubble up to here
    <div onKeyDown={fold}>
      <p className="fleet-group-note" data-plain={by !== 'tag' && left === 0}>
        {number}
        {by === 'tag' && '. Agents with several tags are in several.'}
        {left > 0 && ` The last ${count(left, 'group')} are not listed: filter the list to see them.`}
      </p>
      <FleetList
        {...list}
        shown={{ total: lines.total, head, row }}
        late={late}
        headAt={headAt}
        groups={number}
        headings={
          groups.groups.some(({ value }) => isOpen(value)) ? undefined : <GroupHeadings by={by} states={states} />
        }
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

interface GroupedQuery {
  slug: string
  query: FleetQuery
  by: Grouping
  isOpen: (value: string | null) => boolean
  /** The first and the last line that may be in sight. */
  range: readonly [first: number, last: number]
}

/**
 * Loads the groups, and the rows of open groups as they come into sight. Returns the lines of the list, and a function
 * that gives the row of a line once it is loaded.
 */
function useGroups({ slug, query, by, isOpen, range: [first, last] }: GroupedQuery) {
  const asked = read('GET /w/:slug/fleet/groups', { slug }, { q: query.q, by })
  const { data, error, isPlaceholderData, refetch } = useQuery({ ...asked, placeholderData: keepPreviousData })
  const lines = useMemo(() => data && groupLinesOf(data.groups, isOpen), [data, isOpen])
  const wanted = lines ? windowsIn(lines, first, last) : []
  const results = useQueries({
    queries: wanted.map(({ value, offset }) =>
      fleetQuery(slug, { ...query, group: by, in: value ?? undefined }, offset),
    ),
  })
  const windows = new Map(wanted.map(({ value, offset }, i) => [windowName(value, offset), results[i]?.data]))
  /** The row of a line; undefined for the head of a group, and while it loads. */
  const row = (line: number): FleetRow | undefined => {
    const { group, index } = lines?.at(line) ?? {}
    if (!group || index === undefined) return undefined
    const offset = Math.floor(index / fleetWindow) * fleetWindow
    return windows.get(windowName(group.value, offset))?.rows[index - offset]
  }
  return {
    lines,
    row,
    groups: data,
    late: isPlaceholderData,
    error: (data ? undefined : error) ?? results.find((result) => result.error && !result.data)?.error ?? null,
    retry: () => Promise.all([refetch(), ...results.map((result) => result.refetch())]),
  }
}

const windowName = (value: string | null, offset: number): string => JSON.stringify([value, offset])

/** The windows of rows that the lines from `first` to `last` need. */
function windowsIn(lines: GroupedLines, first: number, last: number): { value: string | null; offset: number }[] {
  const windows = new Map<string, { value: string | null; offset: number }>()
  for (let line = first; line <= last; line++) {
    const { group, index } = lines.at(line) ?? {}
    if (!group || index === undefined) continue
    const window = { value: group.value, offset: Math.floor(index / fleetWindow) * fleetWindow }
    windows.set(windowName(window.value, window.offset), window)
  }
  return [...windows.values()]
}

interface BoxesQuery {
  slug: string
  /** The text of the filter that is applied. */
  filter: string
  by: Grouping
  /** The selected agents; undefined if agents cannot be selected here. */
  selection: Selection | undefined
}

/**
 * Returns a function that returns the checkbox of a group. To know which agents each group has, it loads the map once
 * any agent is selected.
 */
function useGroupBoxes({ slug, filter, by, selection }: BoxesQuery) {
  const { data } = useQuery({
    ...read('GET /w/:slug/fleet/map', { slug }, { q: filter, by }),
    enabled: selection !== undefined && selection.names.size > 0,
    placeholderData: keepPreviousData,
  })
  const members = useMemo(() => agentsByGroup(data), [data])
  return (group: FleetGroup): GroupBox | undefined => {
    if (!selection) return undefined
    const known = members.get(group.value) ?? []
    const chosen = chosenPartOf(group, known, selection.names)
    const press = async () => {
      if (chosen === 'all') return selection.set(known, false)
      const asked = { q: filter, group: by, ...(group.value !== null && { in: group.value }) }
      selection.set(await findAgentNames(slug, asked), true)
    }
    return { chosen, press }
  }
}
