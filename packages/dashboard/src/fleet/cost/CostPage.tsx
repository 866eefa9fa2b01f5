import type { CostPage as Answer, CostRun, CostSplit } from '@svc/api'
import { IconCoins } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactNode, type Ref, useMemo } from 'react'
import { addressFor } from '../../data/api.ts'
import { read } from '../../data/queries.ts'
import { useSlug, useWorkspace } from '../../data/workspace.ts'
import { costDays, paths } from '../../paths.ts'
import { colorOf, StackedBars } from '../../ui/charts/StackedBars.tsx'
import { dayName } from '../../ui/charts/stack.ts'
import {
  Cost,
  count,
  dollars,
  dollarsOfAxis,
  Empty,
  PageHeader,
  Scroll,
  Section,
  serviceNow,
  Text,
  Time,
  useDocumentTitle,
} from '../../ui/index.ts'
import { QueryState } from '../../ui/pages/QueryState.tsx'
import { DottedParts } from '../../ui/parts.tsx'
import { figure, percent } from '../../ui/time/format.ts'
import { useFirstRows } from '../../ui/useFirstRows.tsx'
import { DownloadCsv } from '../../ui/values/DownloadCsv.tsx'
import { CostChoices, splitWords } from './CostChoices.tsx'
import { type CostSearch, costNameText, costRequestOf, costStack } from './costs.ts'
import './cost.css'

const route = getRouteApi('/signed-in/w/$slug/cost')

/** The page with the costs of the workspace: a chart, the most expensive agents, models or blueprints, and runs. */
export function CostPage() {
  const slug = useSlug()
  const { name } = useWorkspace()
  useDocumentTitle('Cost', name)
  const search = route.useSearch()
  const asked = costRequestOf(search, serviceNow())
  const query = useQuery(read('GET /w/:slug/cost', { slug }, asked))
  const { data } = query
  const { data: runs = [] } = useQuery(read('GET /w/:slug/cost/runs', { slug }))
  return (
    <>
      <PageHeader
        title="Cost"
        note="What agents report with their runs. Days begin at midnight UTC."
        actions={<DownloadCsv href={addressFor('GET /w/:slug/history/cost/export', { slug }, asked)} />}
      />
      <CostChoices search={search} first={asked.from} />
      <QueryState of={query} />
      <div className="svc-column">
        {data && (data.total.cost > 0 ? <Sums page={data} search={search} asked={asked} /> : <NoCosts />)}
        <div className="cost-tables">
          {data && data.total.cost > 0 && asked.per && <Names slug={slug} page={data} per={asked.per} />}
          {/* The runs are below the sums. If the sums came later, they would move the runs down. */}
          {!query.isPending && <MostExpensiveRuns slug={slug} runs={runs} />}
        </div>
      </div>
    </>
  )
}

const NoCosts = () => (
  <Empty icon={IconCoins} title="No costs were reported in this time" help="page#cost">
    Agents report them with their runs.
  </Empty>
)

interface SumsProps {
  page: Answer
  search: CostSearch
  asked: ReturnType<typeof costRequestOf>
}

/** The sum, and the chart with the costs of each day, week or month. */
function Sums({ page, search, asked: { by, per } }: SumsProps) {
  const stack = useMemo(() => costStack(page, per), [page, per])
  const limit =
    by === 'day' && page.limit !== null
      ? { value: page.limit, words: `Limit of a day: ${dollars(page.limit)}` }
      : undefined
  const { runs, outputTokens } = page.total
  return (
    <Section
      title={
        <>
          <span className="cost-total">
            <Cost usd={page.total.cost} />
          </span>{' '}
          {periodWords(search, page)}
        </>
      }
      aside={runs !== null && outputTokens !== null && `${count(runs, 'run')} · ${figure(outputTokens)} output tokens`}
    >
      <StackedBars
        title={per === undefined ? `Cost by ${by}` : `Cost by ${by} and ${per}`}
        stack={stack}
        format={dollars}
        axis={dollarsOfAxis}
        nameOf={by === 'month' ? monthName : dayName}
        each={by}
        height={200}
        limit={limit}
        named={per !== undefined}
        idle={`${dollars(page.total.cost / Math.max(1, page.columns.length))} a ${by} on average`}
      />
    </Section>
  )
}

const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

/** The period that the page is about: `in 30 days`, or the dates that the person chose. */
const periodWords = ({ days = costDays[0], from, to }: CostSearch, page: Pick<Answer, 'from' | 'to'>): string =>
  from === undefined && to === undefined
    ? `in ${days} days`
    : `${date.format(new Date(page.from))} – ${date.format(new Date(page.to))}`

const month = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' })
/** Shows the month of a day such as `2026-11-01` as `Nov 2026`. */
const monthName = (key: string): string => month.format(new Date(key))

/** The table with the most expensive agents, models or blueprints. Those in the chart have its colours. */
function Names({ slug, page, per }: { slug: string; page: Answer; per: CostSplit }) {
  const { names, others, total } = page
  const drawn = page.columns[0]?.parts.length ?? 0
  const title = { agent: 'Agents', model: 'Models', blueprint: 'Blueprints' }[per]
  return (
    <CostTable
      title={title}
      head={
        <>
          <th scope="col">
            <span className="svc-hidden">{splitWords[per]}</span>
          </th>
          <th scope="col">Cost</th>
          <th scope="col">Share</th>
          {per !== 'model' && <th scope="col">Runs</th>}
          {per !== 'model' && <th scope="col">Output tokens</th>}
        </>
      }
    >
      {names.map((one, index) => (
        <tr key={`${one.deleted} ${one.name}`}>
          <th scope="row">
            <Swatch index={index < drawn ? index : null} />
            <Name
              slug={slug}
              per={per}
              name={one.deleted ? null : one.name}
              words={costNameText(one, per, page.deletedAgents)}
            />
          </th>
          <Figures sums={one} total={total.cost} per={per} />
        </tr>
      ))}
      {others.count > 0 && (
        <tr>
          <th scope="row">
            <Swatch index={null} />
            {count(others.count, 'other')}
          </th>
          <Figures sums={others} total={total.cost} per={per} />
        </tr>
      )}
    </CostTable>
  )
}

const Swatch = ({ index }: { index: number | null }) => (
  <i className="cost-swatch" style={{ background: colorOf(index) }} aria-hidden />
)

interface CostTableProps {
  title: string
  head: ReactNode
  children: ReactNode
  /** The ref to the table's body, which contains the rows. */
  rows?: Ref<HTMLTableSectionElement>
  /** The content below the table. */
  more?: ReactNode
}

const CostTable = ({ title, head, children, rows, more }: CostTableProps) => (
  <Section title={title} flush>
    <Scroll className="cost-table" label={title}>
      <table>
        <thead>
          <tr>{head}</tr>
        </thead>
        <tbody ref={rows} tabIndex={-1} className="svc-focused-part">
          {children}
        </tbody>
      </table>
    </Scroll>
    {more && <div className="cost-more">{more}</div>}
  </Section>
)

const Figures = ({ sums, total, per }: { sums: Answer['total']; total: number; per: CostSplit }) => (
  <>
    <td>{dollars(sums.cost)}</td>
    <td>{total > 0 ? percent(sums.cost / total) : '–'}</td>
    {per !== 'model' && <td>{figure(sums.runs ?? 0)}</td>}
    {per !== 'model' && <td>{figure(sums.outputTokens ?? 0)}</td>}
  </>
)

/** The name of an agent, blueprint or model. Agents and blueprints that still exist are links. */
function Name({ slug, per, name, words }: { slug: string; per: CostSplit; name: string | null; words: string }) {
  if (name === null || per === 'model') return <Text>{words}</Text>
  return per === 'agent' ? (
    <Link to={paths.agent} params={{ slug, name }} className="cost-link">
      <Text>{words}</Text>
    </Link>
  ) : (
    <Link to={paths.blueprint} params={{ slug, blueprint: name }} className="cost-link">
      <Text>{words}</Text>
    </Link>
  )
}

/** The table with the most expensive runs of the last 7 days, or nothing if no run had costs. */
function MostExpensiveRuns({ slug, runs }: { slug: string; runs: readonly CostRun[] }) {
  const first = useFirstRows<CostRun, HTMLTableSectionElement>(runs, 10)
  if (runs.length === 0) return null
  const title = 'Most expensive runs, 7 days'
  return (
    <CostTable
      title={title}
      rows={first.list}
      more={first.button}
      head={
        <>
          <th scope="col">Run</th>
          <th scope="col" data-words>
            Agent
          </th>
          <th scope="col" data-words>
            Status
          </th>
          <th scope="col">Started</th>
          <th scope="col">Cost</th>
        </>
      }
    >
      {first.shown.map((run) => (
        <tr key={`${run.agent} ${run.id}`}>
          <th scope="row">
            <Link
              to={paths.agent}
              params={{ slug, name: run.agent }}
              search={{ tab: 'runs', run: run.id }}
              className="cost-link"
            >
              <Text>{run.kind ?? run.id}</Text>
            </Link>
            {run.subject && (
              <span className="svc-quiet cost-subject">
                <Text>{run.subject}</Text>
              </span>
            )}
            <span className="svc-quiet cost-under">
              <DottedParts parts={[<Text key="agent">{run.agent}</Text>, run.status]} />
            </span>
          </th>
          <td data-words>
            <Name slug={slug} per="agent" name={run.agent} words={run.agent} />
          </td>
          <td data-words>
            <Text>{run.status ?? ''}</Text>
          </td>
          <td>
            <Time at={run.at} />
          </td>
          <td>{dollars(run.cost)}</td>
        </tr>
      ))}
    </CostTable>
  )
}
