import { Button } from '@mantine/core'
import { IconListCheck } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { actionsQuery } from '../data/queries.ts'
import { useSlug, useWorkspace } from '../data/workspace.ts'
import { paths } from '../paths.ts'
import { Empty, PageHeader, Section, Text, Time, useDocumentTitle } from '../ui/index.ts'
import { AnchorLink } from '../ui/links.tsx'
import { QueryState } from '../ui/pages/QueryState.tsx'
import { titleOf } from './dialogs/words.ts'
import { countsText, OutcomeBar } from './OutcomeBar.tsx'
import './actions.css'

/** The actions of the workspace: commands for many agents, with their outcomes. */
export function ActionsPage() {
  const slug = useSlug()
  const { name } = useWorkspace()
  useDocumentTitle('Actions', name)
  const query = useInfiniteQuery(actionsQuery(slug))
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = query
  const rows = data?.pages.flatMap((page) => page.rows)
  return (
    <>
      <PageHeader title="Actions" note="Commands that were sent to many agents at once." />
      <QueryState of={query} />
      {rows?.length === 0 && (
        <Empty icon={IconListCheck} title="No actions yet" help={null}>
          Select agents in the list of agents, and send them a command. It will be listed here.
        </Empty>
      )}
      {rows && rows.length > 0 && (
        <Section title="Last 30 days" flush>
          <ul className="svc-rows" aria-label="Actions">
            {rows.map((row) => (
              <li key={row.id} className="act-row">
                <AnchorLink to={paths.action} params={{ slug, id: row.id }} fw={600}>
                  {titleOf(row)}
                </AnchorLink>
                <span className="svc-quiet">
                  <Time at={row.at} /> by <Text>{row.by}</Text>
                </span>
                <OutcomeBar counts={row.counts} />
                <p className="svc-quiet">{countsText(row.counts)}</p>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {hasNextPage && (
        <Button variant="default" mt="md" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Older
        </Button>
      )}
    </>
  )
}
