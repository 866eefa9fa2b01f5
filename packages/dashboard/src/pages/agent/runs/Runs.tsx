import { Select, TextInput } from '@mantine/core'
import { useDebouncedCallback, useMediaQuery } from '@mantine/hooks'
import { IconHistory, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Agent, useView } from '../../../agents/parts/agent.ts'
import { Pager } from '../../../agents/parts/Pager.tsx'
import { runsQuery } from '../../../queries.ts'
import { count } from '../../../ui/format.ts'
import { Empty, ErrorNote } from '../../../ui/index.ts'
import { RunCards } from './RunCards.tsx'
import { RunTable } from './RunTable.tsx'
import './runs.css'

const size = 50

/** The tab with the agent's kept runs (2.2), newest first. The runs can be filtered, paged, and opened one by one. */
export default function Runs({ agent }: { agent: Agent }) {
  const { slug, page } = agent
  const view = useView()
  const narrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  const filter = { status: view.text('status'), model: view.text('model'), text: view.text('text') }
  const filtered = Object.values(filter).some(Boolean)
  const at = view.page()
  const { data, error, refetch, isPlaceholderData } = useQuery(
    runsQuery(slug, page.name, { ...filter, offset: (at - 1) * size, limit: size }),
  )
  const rows = data?.rows ?? []
  return (
    <>
      <Filters agent={agent} filter={filter} total={filtered ? data?.total : undefined} />
      {error && <ErrorNote error={error} retry={refetch} />}
      {data && rows.length === 0 && (
        <Empty
          icon={IconHistory}
          title={filtered ? 'No runs match' : 'No runs yet'}
          order={2}
          help={filtered ? null : 'page#runs'}
        >
          {filtered ? 'Try another status, model or text.' : 'Runs will appear here once the agent reports them.'}
        </Empty>
      )}
      {rows.length > 0 && (
        <div style={{ opacity: isPlaceholderData ? 0.6 : 1 }}>
          {narrow ? <RunCards agent={agent} runs={rows} /> : <RunTable agent={agent} runs={rows} />}
        </div>
      )}
      <Pager
        page={at}
        size={size}
        total={data?.total ?? 0}
        onPage={(to) => view.go({ page: to > 1 ? to : undefined })}
      />
    </>
  )
}

interface Filter {
  status: string
  model: string
  text: string
}

function Filters({ agent, filter, total }: { agent: Agent; filter: Filter; total: number | undefined }) {
  const { go } = useView()
  const [text, setText] = useState(filter.text)
  const search = useDebouncedCallback((to: string) => go({ text: to || undefined, page: undefined }), 250)
  const { statuses, models } = agent.page.runs
  return (
    <search className="ag-filters">
      <TextInput
        aria-label="Search runs"
        placeholder="Title, kind or id"
        leftSection={<IconSearch size={15} aria-hidden />}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          search(event.currentTarget.value)
        }}
      />
      {(statuses.length > 1 || filter.status) && (
        <Select
          aria-label="Status"
          placeholder="Any status"
          clearable
          data={withChosen(statuses, filter.status)}
          value={filter.status || null}
          onChange={(to) => go({ status: to ?? undefined, page: undefined })}
        />
      )}
      {(models.length > 1 || filter.model) && (
        <Select
          aria-label="Model"
          placeholder="Any model"
          clearable
          data={withChosen(models, filter.model)}
          value={filter.model || null}
          onChange={(to) => go({ model: to ?? undefined, page: undefined })}
        />
      )}
      <span className="ag-quiet" role="status">
        {total === undefined
          ? `${count(agent.page.runs.kept, 'run')} kept`
          : `${count(total, 'matching run', 'matching runs')}`}
      </span>
    </search>
  )
}

/**
 * The options of a filter for runs, without empty texts. The option that the page's address contains is always
 * included, even if no run has it any longer.
 */
const withChosen = (all: readonly string[], chosen: string) =>
  [...new Set([...all, chosen])].filter((one) => one !== '')
