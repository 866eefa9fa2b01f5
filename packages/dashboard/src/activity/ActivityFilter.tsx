import { Button, NativeSelect, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { read } from '../data/queries.ts'
import { useSlug } from '../data/workspace.ts'
import { useAddressText } from '../ui/forms/useAddressText.ts'
import { serviceNow, useFocusedPart } from '../ui/index.ts'
import { type ActivitySubject, isSubject, subjects } from './lines.ts'

const route = getRouteApi('/signed-in/w/$slug/activity')

/** The time between the last key and the search for the typed text, in milliseconds. */
const searchDelayMs = 250

const periods = { '1': 'Today', '7': 'Last 7 days', '30': 'Last 30 days' } as const

/** Returns the filter in the page's address, in the form that the service expects; undefined without one. */
export function useActivityFilter() {
  const { text, by, about, days } = route.useSearch()
  if (text === undefined && by === undefined && about === undefined && days === undefined) return undefined
  return {
    text,
    by,
    ...(isSubject(about) && { kind: subjects[about].kinds.join() }),
    ...(days !== undefined && { since: startOf(Number(days), serviceNow()) }),
  }
}

/** The start of the first of `days` days, the last of which is today: Unix milliseconds, by the reader's time zone. */
function startOf(days: number, now: number): number {
  const today = new Date(now)
  return new Date(today.getFullYear(), today.getMonth(), today.getDate() - days + 1).getTime()
}

/** The search and the filters above the activity: who, about what, and when. */
export function ActivityFilter() {
  const slug = useSlug()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { data } = useQuery(read('GET /w/:slug/members', { slug }))
  const go = (change: Partial<Record<keyof typeof search, string | undefined>>) =>
    void navigate({
      search: (before) =>
        Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value)) as typeof before,
      replace: true,
      resetScroll: false,
    })
  const { typed, type, settle } = useAddressText({
    text: search.text ?? '',
    tell: (text) => go({ text }),
    pauseAfter: () => searchDelayMs,
  })
  const isFiltered = Object.keys(search).length > 0
  const field = useFocusedPart<HTMLInputElement>(String(isFiltered))
  const names = new Set([...(data?.members.map(({ name }) => name) ?? []), ...(search.by ? [search.by] : [])])
  return (
    <search className="activity-filter">
      <TextInput
        ref={field}
        type="search"
        aria-label="Search the activity"
        placeholder="Agent, person or value"
        leftSection={<IconSearch size={15} aria-hidden />}
        value={typed}
        onChange={({ currentTarget: { value } }) => type(value)}
      />
      <NativeSelect
        aria-label="Who"
        data={[{ value: '', label: 'Everyone' }, ...names]}
        value={search.by ?? ''}
        onChange={({ currentTarget: { value } }) => go({ by: value })}
      />
      <NativeSelect
        aria-label="About"
        data={[
          { value: '', label: 'All events' },
          ...(Object.keys(subjects) as ActivitySubject[]).map((value) => ({ value, label: subjects[value].name })),
        ]}
        value={isSubject(search.about) ? search.about : ''}
        onChange={({ currentTarget: { value } }) => go({ about: value })}
      />
      <NativeSelect
        aria-label="When"
        data={[
          { value: '', label: 'Any time' },
          ...Object.entries(periods).map(([value, label]) => ({ value, label })),
        ]}
        value={search.days ?? ''}
        onChange={({ currentTarget: { value } }) => go({ days: value })}
      />
      {isFiltered && (
        <Button
          variant="subtle"
          color="gray"
          onClick={() => {
            settle('')
            go({ text: undefined, by: undefined, about: undefined, days: undefined })
          }}
        >
          Clear
        </Button>
      )}
    </search>
  )
}
