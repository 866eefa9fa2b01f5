import { Button } from '@mantine/core'
import type { RolloutRow, RuntimeOverview } from '@svc/api'
import { IconRefreshDot } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { read, rolloutsQuery } from '../data/queries.ts'
import { useSlug, useWorkspace } from '../data/workspace.ts'
import { paths } from '../paths.ts'
import { count, Empty, Facts, PageHeader, Section, Text, Time, Tone, useDocumentTitle } from '../ui/index.ts'
import { AnchorLink, ButtonLink } from '../ui/links.tsx'
import { QueryState } from '../ui/pages/QueryState.tsx'
import { Served } from './parts/Served.tsx'
import { rolloutWords } from './parts/words.ts'
import { RolloutBar } from './RolloutBar.tsx'
import './updates.css'
import './updates-page.css'

/** The rollouts of the workspace, and the versions of its agents' runtimes. */
export function UpdatesPage() {
  const slug = useSlug()
  const { name, role } = useWorkspace()
  const rollouts = useInfiniteQuery(rolloutsQuery(slug))
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = rollouts
  const rows = data?.pages.flatMap((page) => page.rows)
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
      <div className="svc-columns up-page">
        <div className="svc-column">
          <QueryState of={rollouts} />
          {rows && <List slug={slug} rows={rows} more={hasNextPage} admin={role === 'admin'} />}
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
        </div>
        <div className="svc-column">
          <Runtime slug={slug} />
        </div>
      </div>
    </>
  )
}

interface ListProps {
  slug: string
  rows: readonly RolloutRow[]
  /** True if there are older rollouts that are not loaded. */
  more: boolean
  admin: boolean
}

const List = ({ slug, rows, more, admin }: ListProps) =>
  rows.length === 0 ? (
    <Empty icon={IconRefreshDot} title="No rollouts yet" help="page#updates">
      {admin
        ? 'A rollout updates one agent first, then 10%, then all. It will be listed here.'
        : 'Rollouts that admins start will be listed here.'}
    </Empty>
  ) : (
    <Section title="Rollouts" aside={more ? `the newest ${rows.length}` : count(rows.length, 'rollout')} flush>
      <ul className="svc-rows" aria-label="Rollouts">
        {rows.map((row) => (
          <li key={row.id} className="up-rollout">
            <div className="up-state">
              <AnchorLink to={paths.rollout} params={{ slug, id: row.id }} fw={600}>
                <Text>{titleOf(row)}</Text>
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

export const titleOf = ({ kind, blueprint, version }: Pick<RolloutRow, 'kind' | 'blueprint' | 'version'>): string =>
  kind === 'runtime' ? `Runtime ${version}` : `${blueprint} ${version}`

/** True if a runtime of the workspace could be updated to the served version. */
const isOffered = ({ served, running }: RuntimeOverview): boolean =>
  running.some(({ version }) => version !== null && version !== served?.version)

function Runtime({ slug }: { slug: string }) {
  const query = useQuery(read('GET /w/:slug/runtime', { slug }))
  const { data } = query
  if (!data) return <QueryState of={query} waiting={null} />
  return (
    <Section title="Runtime" aside={data.served ? `${data.served.version} is served` : 'none is served'} flush>
      <Facts
        facts={[
          [
            'Served',
            data.served ? (
              <Served key="served" served={data.served} offered={isOffered(data)} />
            ) : (
              'none: the operator can add one with “svc-server release add”'
            ),
          ],
          ...data.running.map(
            ({ version, agents }) =>
              [version === null ? 'Reporting no runtime' : `Running ${version}`, count(agents, 'agent')] as const,
          ),
          ['Requested for', data.wished > 0 && count(data.wished, 'agent')],
          ['On hold for', data.held > 0 && count(data.held, 'agent')],
          ['Pinned on', data.pinned > 0 && count(data.pinned, 'machine')],
          ['Being tested', `${data.trials.now} (a rollout tests at most ${data.trials.most} at once)`],
        ]}
      />
    </Section>
  )
}
