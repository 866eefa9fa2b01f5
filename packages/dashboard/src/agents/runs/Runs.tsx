import { Button, NativeSelect, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback, useMediaQuery } from '@mantine/hooks'
import { IconDownload, IconHistory, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { addressFor } from '../../data/api.ts'
import { read } from '../../data/queries.ts'
import { Cost, Empty, ErrorNote, LeftOut, Section, Text } from '../../ui/index.ts'
import { Dotted } from '../../ui/parts.tsx'
import { count } from '../../ui/time/format.ts'
import { type Agent, useView } from '../parts/agent.ts'
import { Pager } from '../parts/Pager.tsx'
import { addressOfOrder, orderIn, orders, type RunOrder } from './list.ts'
import { Length, RunDetails, Started, Status } from './parts.tsx'
import { RunPictures } from './RunPictures.tsx'
import { RunCards, RunTable } from './RunTable.tsx'
import './runs.css'

const size = 50
/** The number of runs of which a phone shows the pictures beside each other. */
const onPhone = 28

/** The tab with the agent's kept runs (2.2), newest first. The runs can be filtered, paged, and opened one by one. */
export default function Runs({ agent }: { agent: Agent }) {
  const { slug, page } = agent
  const view = useView()
  const narrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  const filter = { status: view.text('status'), model: view.text('model'), text: view.text('text') }
  const filtered = Object.values(filter).some(Boolean)
  const at = view.page()
  const order = orderIn(view.text('sort'), view.text('order'))
  const opened = view.text('run')
  const { data, error, refetch, isPlaceholderData } = useQuery(
    read(
      'GET /w/:slug/agents/:name/runs',
      { slug, name: page.name },
      { ...filter, ...order, offset: (at - 1) * size, limit: size },
    ),
  )
  const rows = data?.rows ?? []
  const elsewhere = opened !== '' && data !== undefined && !isPlaceholderData && !rows.some(({ id }) => id === opened)
  const toggle = (id: string) => view.go({ run: id === opened ? undefined : id })
  const onOrder = (to: RunOrder) => view.go({ ...addressOfOrder(to), page: undefined })
  const list = { agent, runs: rows, order, onOrder, opened, toggle }
  return (
    <>
      <Filters
        agent={agent}
        filter={filter}
        order={order}
        onOrder={narrow ? onOrder : undefined}
        total={filtered ? data?.total : undefined}
      />
      {elsewhere && <OtherRun agent={agent} id={opened} close={() => view.go({ run: undefined })} />}
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
        <div className="svc-late" data-late={isPlaceholderData} aria-busy={isPlaceholderData}>
          {order.sort === 'started' && !order.rising && <RunPictures runs={narrow ? rows.slice(0, onPhone) : rows} />}
          {narrow ? <RunCards {...list} /> : <RunTable {...list} />}
        </div>
      )}
      <LeftOut rows={data?.leftOff?.rows ?? 0} what={['run']} />
      <Pager
        page={at}
        size={size}
        total={data?.total ?? 0}
        onPage={(to) => view.go({ page: to > 1 ? to : undefined })}
      />
    </>
  )
}

interface OtherRunProps {
  agent: Agent
  id: string
  close: () => void
}

/** The run that the address names, if it is not among the runs that are listed, for example behind a shared link. */
function OtherRun({ agent, id, close }: OtherRunProps) {
  const { data, error, refetch } = useQuery(
    read('GET /w/:slug/agents/:name/runs', { slug: agent.slug, name: agent.page.name }, { id, offset: 0, limit: 1 }),
  )
  if (error) return <ErrorNote error={error} retry={refetch} />
  const run = data?.rows.find((each) => each.id === id)
  return (
    <div className="ag-other-run">
      <Section
        title={
          <>
            Run <Text>{id}</Text>
          </>
        }
        aside={
          <Button variant="default" size="compact-sm" onClick={close}>
            Close
          </Button>
        }
      >
        {run ? (
          <>
            <p className="ag-other-head">
              <Dotted
                parts={[
                  <Started key="started" run={run} />,
                  <Status key="status" run={run} />,
                  run.kind !== undefined && <Text key="kind">{run.kind}</Text>,
                  <Length key="took" run={run} agent={agent} />,
                  run.cost_usd !== undefined && <Cost key="cost" usd={run.cost_usd} />,
                ]}
              />
            </p>
            <RunDetails run={run} agent={agent} />
          </>
        ) : (
          data && <p className="ag-other-head">This run is not kept any longer. The newest 2,000 runs are.</p>
        )}
      </Section>
    </div>
  )
}

interface Filter {
  status: string
  model: string
  text: string
}

interface FiltersProps {
  agent: Agent
  filter: Filter
  order: RunOrder
  /** Changes the order by a menu; undefined if the headings of the table do. */
  onOrder: ((order: RunOrder) => void) | undefined
  /** The number of runs that fit the filter; undefined without a filter. */
  total: number | undefined
}

function Filters({ agent, filter, order, onOrder, total }: FiltersProps) {
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
      {onOrder && <OrderMenu order={order} onOrder={onOrder} />}
      <span className="ag-quiet" role="status">
        {total === undefined
          ? `${count(agent.page.runs.kept, 'run')} kept`
          : `${count(total, 'matching run', 'matching runs')}`}
      </span>
      {agent.page.runs.kept > 0 && (
        <Button
          component="a"
          variant="default"
          size="compact-sm"
          leftSection={<IconDownload size={14} aria-hidden />}
          href={addressFor(
            'GET /w/:slug/agents/:name/runs/export',
            { slug: agent.slug, name: agent.page.name },
            { ...filter, ...order },
          )}
          download
        >
          Download CSV
        </Button>
      )}
    </search>
  )
}

/** A menu of the orders, for narrow screens, where the headings of the table are missing. */
const OrderMenu = ({ order, onOrder }: { order: RunOrder; onOrder: (order: RunOrder) => void }) => (
  <NativeSelect
    aria-label="Sort by"
    data={orders.map(([words]) => words)}
    value={orders.find(([, { sort, rising }]) => sort === order.sort && rising === order.rising)?.[0] ?? ''}
    onChange={({ currentTarget: { value } }) => {
      const chosen = orders.find(([words]) => words === value)
      if (chosen) onOrder(chosen[1])
    }}
  />
)

/**
 * The options of a filter for runs, without empty texts. The option that the page's address contains is always
 * included, even if no run has it any longer.
 */
const withChosen = (all: readonly string[], chosen: string) =>
  [...new Set([...all, chosen])].filter((one) => one !== '')
