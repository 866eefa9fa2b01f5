import { Button } from '@mantine/core'
import type { RolloutRow, RuntimeOverview } from '@svc/api'
import { IconRefreshDot } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { read, rolloutsQuery } from '../data/queries.ts'
import { useSlug, useWorkspace } from '../data/workspace.ts'
import { paths } from '../paths.ts'
import { count, Empty, PageHeader, Section, Text, Time, Tone, useDocumentTitle } from '../ui/index.ts'
import { AnchorLink, ButtonLink } from '../ui/links.tsx'
import { QueryState } from '../ui/pages/QueryState.tsx'
import { WaitingPage } from '../ui/pages/WaitingPage.tsx'
import { DottedParts } from '../ui/parts.tsx'
import { rolloutWords } from './parts/looks.ts'
import { ServedVersion } from './parts/Served.tsx'
import { VersionBar } from './parts/VersionBar.tsx'
import { RolloutBar } from './RolloutBar.tsx'
import { VersionsOverTime, versionsQuery } from './VersionsOverTime.tsx'
import './updates.css'
import './updates-page.css'

/** The rollouts of the workspace, and the versions of its agents' runtimes. */
export function UpdatesPage() {
  const slug = useSlug()
  const { name, role } = useWorkspace()
  const rollouts = useInfiniteQuery(rolloutsQuery(slug))
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = rollouts
  const rows = data?.pages.flatMap((page) => page.rows)
  // Halted rollouts are read separately, because they may be older than the rollouts of the first page.
  const halts = useQuery(read('GET /w/:slug/rollouts', { slug }, { state: 'halted', limit: 200 }))
  const runtime = useQuery(runtimeQuery(slug))
  const versions = useQuery(versionsQuery(slug))
  // All parts are shown at the same time. A part that appeared later would push down the parts below it.
  const isLoading = [rollouts, halts, runtime, versions].some(({ isPending }) => isPending)
  const halted = halts.data?.rows ?? rows?.filter(({ state }) => state === 'halted') ?? []
  const others = rows?.filter(({ id }) => !halted.some((one) => one.id === id)) ?? []
  const [underWay, ended] = [others.filter(isUnfinished), others.filter((row) => !isUnfinished(row))]
  useDocumentTitle('Updates', name)
  return (
    <>
      <PageHeader
        title="Updates"
        note="Send a version to many agents at once, or in waves that halt by themselves when health gets worse."
        actions={
          role === 'admin' && (
            <ButtonLink to={paths.update} params={{ slug }}>
              Update agents
            </ButtonLink>
          )
        }
      />
      <div className="svc-column">
        <QueryState of={rollouts} waiting={null} />
        {isLoading ? (
          <WaitingPage />
        ) : (
          <>
            {halted.length > 0 && <Rows slug={slug} rows={halted} title="Halted" />}
            {underWay.length > 0 && <Rows slug={slug} rows={underWay} title="Under way" />}
            <div className="svc-columns up-page">
              <VersionsOverTime slug={slug} />
              <Runtime slug={slug} />
            </div>
            {rows && (
              <EndedRollouts slug={slug} rows={ended} all={rows.length} more={hasNextPage} admin={role === 'admin'} />
            )}
            {hasNextPage && (
              <Button
                variant="default"
                justify="center"
                loading={isFetchingNextPage}
                onClick={() => void fetchNextPage()}
              >
                Older
              </Button>
            )}
          </>
        )}
      </div>
    </>
  )
}

/** True for a rollout that is neither done nor cancelled. */
const isUnfinished = ({ state }: RolloutRow): boolean => state !== 'done' && state !== 'cancelled'

interface EndedProps {
  slug: string
  rows: readonly RolloutRow[]
  /** The number of loaded rollouts, including those that have not ended. */
  all: number
  /** True if there are older rollouts that are not loaded. */
  more: boolean
  admin: boolean
}

/** The rollouts that have ended, or a note if the workspace has no rollouts. */
const EndedRollouts = ({ slug, rows, all, more, admin }: EndedProps) =>
  all === 0 ? (
    <Empty icon={IconRefreshDot} title="No rollouts yet" help="page#updates">
      {admin
        ? 'A rollout updates one agent first, then 10%, then all. It will be listed here.'
        : 'Rollouts that admins start will be listed here.'}
    </Empty>
  ) : (
    rows.length > 0 && (
      <Rows
        slug={slug}
        rows={rows}
        title="Ended"
        aside={more ? `of the newest ${all}` : count(rows.length, 'rollout')}
      />
    )
  )

const Rows = ({
  slug,
  rows,
  title,
  aside,
}: Pick<EndedProps, 'slug' | 'rows'> & {
  title: string
  aside?: string
}) => (
  <Section title={title} aside={aside} flush>
    <ul className="svc-rows" aria-label={title}>
      {rows.map((row) => (
        <li key={row.id} className="up-rollout">
          <div className="up-state">
            <AnchorLink to={paths.rollout} params={{ slug, id: row.id }} fw={600}>
              <Text>{rolloutTitleOf(row)}</Text>
            </AnchorLink>
            <Tone tone={rolloutWords[row.state].tone}>{rolloutWords[row.state].word}</Tone>
            <span className="svc-quiet up-when">
              <Time at={row.createdAt} /> by <Text>{row.createdBy}</Text>
            </span>
          </div>
          <RolloutBar counts={row.counts} />
          {row.why !== null && (
            <p className="up-message">
              <Text>{row.why}</Text>
            </p>
          )}
        </li>
      ))}
    </ul>
  </Section>
)

/** The title of a rollout, such as `mail-triage 1.4.0` or `Runtime 2.0.1`. */
export const rolloutTitleOf = ({
  kind,
  blueprint,
  version,
}: Pick<RolloutRow, 'kind' | 'blueprint' | 'version'>): string =>
  kind === 'runtime' ? `Runtime ${version}` : `${blueprint} ${version}`

/** True if a runtime of the workspace has another version than the served one, so that it could be updated. */
const isOffered = ({ served, running }: RuntimeOverview): boolean =>
  running.some(({ version }) => version !== null && version !== served?.version)

const runtimeQuery = (slug: string) => read('GET /w/:slug/runtime', { slug })

function Runtime({ slug }: { slug: string }) {
  const query = useQuery(runtimeQuery(slug))
  const { data } = query
  if (!data) return <QueryState of={query} waiting={null} />
  const { served, running, wished, held, pinned, trials } = data
  return (
    <Section title="Runtime" aside={served ? `${served.version} is served` : 'none is served'}>
      {served && isOffered(data) && !served.signed && <ServedVersion served={served} offered />}
      {!served && <p className="svc-quiet">The operator can add one with “svc-server release add”.</p>}
      <VersionBar
        title="Agents by runtime"
        versions={running.map(({ version, agents }) => ({
          ...{ name: version ?? 'none reported', agents, isGrey: version === null },
        }))}
      />
      {running.length === 1 && running[0] && (
        <p className="svc-quiet">
          {count(running[0].agents, 'agent')}: <Text>{running[0].version ?? 'none reported'}</Text>
        </p>
      )}
      <p className="svc-quiet">
        <DottedParts
          parts={[
            wished > 0 && `requested for ${count(wished, 'agent')}`,
            held > 0 && `on hold for ${count(held, 'agent')}`,
            pinned > 0 && `pinned on ${count(pinned, 'machine')}`,
            trials.now > 0 && `${trials.now} of at most ${trials.most} being tested`,
          ]}
        />
      </p>
    </Section>
  )
}
