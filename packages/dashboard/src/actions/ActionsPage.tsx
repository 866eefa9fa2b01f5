import { Button } from '@mantine/core'
import type { ActionRow } from '@svc/api'
import { IconListCheck } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { actionsQuery, isActionOver } from '../data/queries.ts'
import { useSlug, useWorkspace } from '../data/workspace.ts'
import { paths } from '../paths.ts'
import { Empty, PageHeader, Section, Text, Time, Tone, useDocumentTitle } from '../ui/index.ts'
import { AnchorLink, ButtonLink } from '../ui/links.tsx'
import { QueryState } from '../ui/pages/QueryState.tsx'
import { actionProgressOf, actionTitleOf } from './dialogs/words.ts'
import { actionCountsText, OutcomeBar } from './OutcomeBar.tsx'
import './actions.css'

/** Lists the actions of the workspace with their outcomes. */
export function ActionsPage() {
  const slug = useSlug()
  const { name, role } = useWorkspace()
  useDocumentTitle('Actions', name)
  const query = useInfiniteQuery(actionsQuery(slug))
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = query
  const rows = data?.pages.flatMap((page) => page.rows) ?? []
  return (
    <>
      <PageHeader
        title="Actions"
        note="Commands that were sent to many agents at once."
        actions={role === 'admin' && rows.length > 0 && <SelectAgents slug={slug} variant="default" />}
      />
      <QueryState of={query} />
      {data && rows.length === 0 && (
        <Empty
          icon={IconListCheck}
          title="No actions yet"
          help="page#commands"
          action={role === 'admin' && <SelectAgents slug={slug} variant="filled" />}
        >
          Tick agents in the list, and send them a command. What became of it is shown here.
        </Empty>
      )}
      <div className="svc-column">
        <Rows slug={slug} title="In progress" rows={rows.filter((row) => !isActionOver(row))} />
        <Rows slug={slug} title="Last 30 days" rows={rows.filter(isActionOver)} />
      </div>
      {hasNextPage && (
        <Button variant="default" mt="md" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Older
        </Button>
      )}
    </>
  )
}

/** Leads to the list of agents, where agents are ticked for the next action. */
const SelectAgents = ({ slug, variant }: { slug: string; variant: 'default' | 'filled' }) => (
  <ButtonLink to={paths.fleet} params={{ slug }} variant={variant}>
    Select agents
  </ButtonLink>
)

/** Lists actions, each with its state beside its name; nothing if there are none. */
function Rows({ slug, title, rows }: { slug: string; title: string; rows: readonly ActionRow[] }) {
  if (rows.length === 0) return null
  return (
    <Section title={title} flush>
      <ul className="svc-rows" aria-label={title}>
        {rows.map((row) => {
          const { word, tone } = actionProgressOf(row.counts)
          return (
            <li key={row.id} className="act-row">
              <span className="act-row-name">
                <AnchorLink to={paths.action} params={{ slug, id: row.id }} fw={600}>
                  {actionTitleOf(row)}
                </AnchorLink>
                <Tone tone={tone}>{word}</Tone>
              </span>
              <span className="svc-quiet">
                <Time at={row.at} /> by <Text>{row.by}</Text>
              </span>
              <OutcomeBar counts={row.counts} />
              <p className="svc-quiet">{actionCountsText(row.counts)}</p>
            </li>
          )
        })}
      </ul>
    </Section>
  )
}
