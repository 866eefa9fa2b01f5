import { Button } from '@mantine/core'
import { type Run, runSeconds } from '@svc/protocol'
import { IconHistory } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { addressFor } from '../../data/api.ts'
import { read } from '../../data/queries.ts'
import { type RunBar, RunBars, runsAndFailedText } from '../../ui/charts/RunBars.tsx'
import { Cost, dollars, Empty, ErrorNote, LeftOut, lastingText, Section, Text } from '../../ui/index.ts'
import { useOnPhone } from '../../ui/page/useOnPhone.ts'
import { DottedParts } from '../../ui/parts.tsx'
import { DownloadCsv } from '../../ui/values/DownloadCsv.tsx'
import { type Agent, useAgentPageParams } from '../parts/agent.ts'
import { Pager } from '../parts/Pager.tsx'
import { runTone } from '../parts/tones.ts'
import { Filters } from './Filters.tsx'
import { addressOfOrder, type RunFilter, type RunOrder, readRunOrder } from './list.ts'
import { RunDetails, RunLength, RunStarted, RunStatus } from './parts.tsx'
import { RunCards, RunTable } from './RunTable.tsx'
import './runs.css'

const pageSize = 50
/** The number of runs whose bars fit next to each other on a phone. */
const onPhone = 28

/** The tab with the agent's stored runs (2.2), by default newest first. */
export default function Runs({ agent }: { agent: Agent }) {
  const { slug, page } = agent
  const params = useAgentPageParams()
  const narrow = useOnPhone()
  const filter: RunFilter = {
    text: params.text('text'),
    job: params.text('job'),
    status: params.text('status'),
    model: params.text('model'),
  }
  const filtered = Object.values(filter).some(Boolean)
  const at = params.page()
  const order = readRunOrder(params.text('sort'), params.text('order'))
  const opened = params.text('run')
  const { data, error, refetch, isPlaceholderData } = useQuery(
    read(
      'GET /w/:slug/agents/:name/runs',
      { slug, name: page.name },
      { ...filter, ...order, offset: (at - 1) * pageSize, limit: pageSize },
    ),
  )
  const rows = data?.rows ?? []
  const elsewhere = opened !== '' && data !== undefined && !isPlaceholderData && !rows.some(({ id }) => id === opened)
  const toggle = (id: string) => params.go({ run: id === opened ? undefined : id })
  const onOrder = (to: RunOrder) => params.go({ ...addressOfOrder(to), page: undefined })
  const csv = rows.length > 0 && (
    <DownloadCsv
      href={addressFor('GET /w/:slug/agents/:name/runs/export', { slug, name: page.name }, { ...filter, ...order })}
    />
  )
  const list = { agent, runs: rows, order, onOrder, opened, toggle, isOneJob: filter.job !== '' }
  return (
    <>
      <Filters
        agent={agent}
        filter={filter}
        order={order}
        onOrder={narrow ? onOrder : undefined}
        total={filtered ? data?.total : undefined}
      >
        {!narrow && csv}
      </Filters>
      {elsewhere && <OtherRun agent={agent} id={opened} close={() => params.go({ run: undefined })} />}
      {error && <ErrorNote error={error} retry={refetch} />}
      {data && rows.length === 0 && (
        <Empty
          icon={IconHistory}
          title={filtered ? 'No runs match' : 'No runs yet'}
          order={2}
          help={filtered ? null : 'page#runs'}
        >
          {filtered ? 'Remove a filter, or try another text.' : 'Runs will appear here once the agent reports them.'}
        </Empty>
      )}
      {rows.length > 0 && (
        <div className="svc-late" data-late={isPlaceholderData} aria-busy={isPlaceholderData}>
          {order.sort === 'started' && !order.rising && <RunPictures runs={narrow ? rows.slice(0, onPhone) : rows} />}
          {narrow ? <RunCards {...list} /> : <RunTable {...list} />}
        </div>
      )}
      <LeftOut rows={data?.leftOff?.rows ?? 0} what={['run']} />
      {rows.length > 0 && (
        <div className="ag-runs-end">
          {narrow && csv}
          <Pager
            page={at}
            size={pageSize}
            total={data?.total ?? 0}
            onPage={(to) => params.go({ page: to > 1 ? to : undefined })}
          />
        </div>
      )}
    </>
  )
}

/** Shows how long the listed runs took and what they cost, the oldest on the left. */
function RunPictures({ runs }: { runs: readonly Run[] }) {
  const { length, cost } = runPicturesOf(runs)
  if (length === null && cost === null) return null
  return (
    <div className="ag-run-pictures">
      {length && (
        <figure>
          <figcaption>
            Duration <span className="ag-quiet">max {lastingText(length.max * 1000)}</span>
          </figcaption>
          <RunBars title={length.title} bars={length.bars} />
        </figure>
      )}
      {cost && (
        <figure>
          <figcaption>
            Cost <span className="ag-quiet">max {dollars(cost.max)}</span>
          </figcaption>
          <RunBars title={cost.title} bars={cost.bars} />
        </figure>
      )}
    </div>
  )
}

interface RunPicture {
  bars: RunBar[]
  /** The largest value: seconds or dollars. */
  max: number
  title: string
}

/** The minimum number of runs with a value for a picture. */
const minRuns = 3

/** The pictures of `runs`, which begin with the newest; null if too few runs have a value or all values are 0. */
export function runPicturesOf(runs: readonly Run[]): { length: RunPicture | null; cost: RunPicture | null } {
  const seconds = (run: Run) => runSeconds(run) ?? null
  return {
    length: pictureOf(runs, seconds, (max) => `The longest took ${lastingText(max * 1000)}`),
    cost: pictureOf(
      runs,
      ({ cost_usd }) => cost_usd ?? null,
      (max) => `The most expensive cost ${dollars(max)}`,
    ),
  }
}

function pictureOf(
  runs: readonly Run[],
  measure: (run: Run) => number | null,
  words: (max: number) => string,
): RunPicture | null {
  const bars = runs.map((run): RunBar => ({ value: measure(run), tone: runTone(run.status ?? '') })).reverse()
  const values = bars.flatMap(({ value }) => (value === null ? [] : [value]))
  const max = Math.max(0, ...values)
  if (values.length < minRuns || max === 0) return null
  return { bars, max, title: `${runsAndFailedText(bars)}. ${words(max)}` }
}

interface OtherRunProps {
  agent: Agent
  id: string
  close: () => void
}

/** Shows the run that the address names if it is not on the listed page, for example after opening a shared link. */
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
              <DottedParts
                parts={[
                  <RunStarted key="started" run={run} />,
                  <RunStatus key="status" run={run} />,
                  run.kind !== undefined && <Text key="kind">{run.kind}</Text>,
                  <RunLength key="took" run={run} agent={agent} />,
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
