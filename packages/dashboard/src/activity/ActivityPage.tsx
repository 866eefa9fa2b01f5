import { Button } from '@mantine/core'
import type { AuditEntry } from '@svc/api'
import {
  IconBell,
  IconHistory,
  IconPoint,
  IconRefreshDot,
  IconSend,
  IconServer2,
  IconSettings,
  IconUsers,
} from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ComponentType, useState } from 'react'
import { addressFor, call } from '../data/api.ts'
import { queryKeys } from '../data/queries.ts'
import { useSlug, useWorkspace } from '../data/workspace.ts'
import { paths } from '../paths.ts'
import { Empty, ErrorNote, PageHeader, Text, useDocumentTitle } from '../ui/index.ts'
import { AnchorLink } from '../ui/links.tsx'
import { WaitingPage } from '../ui/pages/WaitingPage.tsx'
import { ClockTime } from '../ui/time/ClockTime.tsx'
import { DownloadCsv } from '../ui/values/DownloadCsv.tsx'
import { ActivityFilter, useActivityFilter } from './ActivityFilter.tsx'
import { type ActivitySubject, type FoldedLines, foldLines, subjectOf } from './lines.ts'
import { dayHeading, entrySentence, type SentencePart } from './sentence.ts'
import './activity.css'

const pageSize = 50

/** The page with the activity of the workspace: newest entries first, older ones when a person asks for them. */
export function ActivityPage() {
  const slug = useSlug()
  const { name } = useWorkspace()
  useDocumentTitle('Activity', name)
  const filter = useActivityFilter()
  const query = useInfiniteQuery({
    queryKey: [...queryKeys.activity(slug), filter ?? {}],
    queryFn: ({ pageParam, signal }) =>
      call('GET /w/:slug/activity', { slug }, { ...filter, before: pageParam, limit: pageSize }, signal),
    placeholderData: keepPreviousData,
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (page) => (page.length < pageSize ? undefined : page.at(-1)?.at),
  })
  const { data, error, isPending, isPlaceholderData, hasNextPage, fetchNextPage, isFetchingNextPage, refetch } = query
  const entries = once(data?.pages.flat() ?? [])
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  return (
    <>
      <PageHeader
        title="Activity"
        note={
          <>
            What people did in this workspace, and the operator of this service.{' '}
            <AnchorLink to={paths.actions} params={{ slug }} fz="inherit" underline="always">
              Actions on many agents
            </AnchorLink>
          </>
        }
        actions={<DownloadCsv href={addressFor('GET /w/:slug/activity/export', { slug }, filter)} />}
      />
      <ActivityFilter />
      {error && <ErrorNote error={error} retry={refetch} />}
      {isPending && <WaitingPage />}
      {data && entries.length === 0 && filter === undefined && (
        <Empty icon={IconHistory} title="No activity yet" help="page#activity">
          New agents, commands, invitations and role changes will be listed here.
        </Empty>
      )}
      {data && entries.length === 0 && filter !== undefined && (
        <Empty icon={IconHistory} title="Nothing fits the filter" help={null}>
          Try other words, or clear the filter.
        </Empty>
      )}
      <div className="svc-late" data-late={isPlaceholderData} aria-busy={isPlaceholderData}>
        {byDay(entries).map(([day, list]) => (
          <section key={day} className="activity-day">
            <h2>{day}</h2>
            <ol>
              {foldLines(list).map((lines) => (
                <Lines key={lines.newest.id} slug={slug} lines={lines} opened={opened} onOpened={setOpened} />
              ))}
            </ol>
          </section>
        ))}
      </div>
      {hasNextPage && (
        <Button variant="default" mt="md" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Older
        </Button>
      )}
    </>
  )
}

/**
 * Removes entries that are listed twice. If several entries have the same millisecond, two requests may both return
 * them.
 */
function once(entries: AuditEntry[]): AuditEntry[] {
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()]
}

function byDay(entries: AuditEntry[]): [string, AuditEntry[]][] {
  const days = new Map<string, AuditEntry[]>()
  for (const entry of entries) {
    const day = dayHeading(entry.at)
    days.set(day, [...(days.get(day) ?? []), entry])
  }
  return [...days]
}

interface LinesProps {
  slug: string
  lines: FoldedLines
  /**
   * The ids of all lines in the rows that are open. A row can get newer and older lines, so it counts as open if any of
   * its lines is here.
   */
  opened: ReadonlySet<string>
  onOpened: (ids: ReadonlySet<string>) => void
}

/** Shows the newest of several lines that are alike, and the earlier ones once a person opens them. */
function Lines({ slug, lines: { newest, earlier }, opened, onOpened }: LinesProps) {
  const ids = [newest, ...earlier].map(({ id }) => id)
  const isOpen = ids.some((id) => opened.has(id))
  const toggle = () => onOpened(new Set(isOpen ? [...opened].filter((id) => !ids.includes(id)) : [...opened, ...ids]))
  return (
    <>
      <Line slug={slug} entry={newest} />
      {isOpen && earlier.map((entry) => <Line key={entry.id} slug={slug} entry={entry} />)}
      {earlier.length > 0 && (
        <li className="activity-line activity-alike">
          <Button variant="subtle" size="compact-xs" aria-expanded={isOpen} onClick={toggle}>
            {isOpen ? 'Only the newest' : `and ${earlier.length} more like this`}
          </Button>
        </li>
      )}
    </>
  )
}

const icons: Readonly<
  Record<ActivitySubject, ComponentType<{ size?: number; stroke?: number; 'aria-hidden'?: boolean }>>
> = {
  agents: IconServer2,
  commands: IconSend,
  updates: IconRefreshDot,
  alerts: IconBell,
  people: IconUsers,
  workspace: IconSettings,
}

function Line({ slug, entry }: { slug: string; entry: AuditEntry }) {
  const subject = subjectOf(entry.action)
  const Icon = subject ? icons[subject] : IconPoint
  return (
    <li className="activity-line">
      <Icon size={16} stroke={1.6} aria-hidden />
      <span className="activity-words">
        <strong>
          <Text>{entry.actor}</Text>
        </strong>{' '}
        {entrySentence(entry).map((part, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence never change
          <Piece key={i} slug={slug} part={part} />
        ))}
      </span>
      <span className="activity-time">
        <ClockTime at={entry.at} isUnderDay />
      </span>
    </li>
  )
}

function Piece({ slug, part }: { slug: string; part: SentencePart }) {
  if (typeof part === 'string') return part
  if ('said' in part) return <Text>{part.said}</Text>
  if ('log' in part) return <Text mono>{part.log}</Text>
  if ('action' in part)
    return (
      <Link to={paths.action} params={{ slug, id: part.action }} className="activity-link">
        {part.words}
      </Link>
    )
  if ('rollout' in part)
    return (
      <Link to={paths.rollout} params={{ slug, id: part.rollout }} className="activity-link">
        <Text>{part.words}</Text>
      </Link>
    )
  if ('blueprint' in part)
    return (
      <Link
        to={paths.blueprint}
        params={{ slug, blueprint: part.blueprint }}
        search={{ version: part.version }}
        className="activity-link"
      >
        <Text>{part.words}</Text>
      </Link>
    )
  return (
    <Link to={paths.agent} params={{ slug, name: part.agent }} className="activity-link">
      <Text>{part.agent}</Text>
    </Link>
  )
}
