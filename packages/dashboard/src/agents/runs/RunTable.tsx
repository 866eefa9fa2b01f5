import { ActionIcon } from '@mantine/core'
import type { RunSort } from '@svc/api'
import type { Run } from '@svc/protocol'
import { IconArrowDown, IconArrowUp, IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { Fragment, type MouseEvent } from 'react'
import { Cost, dateAndTime, serviceNow, Text, Time } from '../../ui/index.ts'
import { DottedParts } from '../../ui/parts.tsx'
import type { Agent } from '../parts/agent.ts'
import { pressedOrder, type RunListProps } from './list.ts'
import { FirstSubject, MoreCount, modelsOf, RunDetails, RunLength, RunStarted, RunStatus, RunTokens } from './parts.tsx'

/**
 * The columns that the table of runs leaves out if they would be empty. Each function is true for a run that has
 * something to show in its column.
 */
const columns = {
  kind: (run: Run) => run.kind !== undefined,
  status: (run: Run) => run.status !== undefined,
  subject: (run: Run) => (run.subjects?.length ?? 0) > 0,
  model: (run: Run) => modelsOf(run).length > 0,
  tokens: (run: Run) => run.output_tokens !== undefined,
  cost: (run: Run) => run.cost_usd !== undefined,
} as const

type ShownColumns = Readonly<Record<keyof typeof columns, boolean>>

/** Shows runs as a table. Columns that would be empty for all runs on the page are left out. */
export function RunTable({ agent, runs, order, onOrder, opened, toggle, isOneJob }: RunListProps) {
  const has = Object.fromEntries(Object.entries(columns).map(([name, there]) => [name, runs.some(there)])) as Record<
    keyof typeof columns,
    boolean
  >
  if (isOneJob) has.kind = has.subject = false
  return (
    <div className="svc-card ag-runs">
      <table className="ag-table">
        <Head has={has} order={order} onOrder={onOrder} />
        <tbody>
          {runs.map((run) => (
            <Fragment key={run.id}>
              <Row agent={agent} run={run} has={has} open={run.id === opened} toggle={() => toggle(run.id)} />
              {run.id === opened && (
                <tr className="ag-run-open">
                  <td colSpan={20}>
                    <RunDetails run={run} agent={agent} />
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const Head = ({ has, ...ordering }: { has: ShownColumns } & Pick<RunListProps, 'order' | 'onOrder'>) => (
  <thead>
    <tr>
      <td />
      <SortHeader words="Started" sort="started" {...ordering} />
      {has.status && <th scope="col">Status</th>}
      {has.kind && <th scope="col">Kind</th>}
      {has.subject && <th scope="col">Subject</th>}
      {has.model && (
        <th scope="col" className="ag-models">
          Model
        </th>
      )}
      <SortHeader words="Duration" sort="duration" numeric {...ordering} />
      {has.tokens && (
        <th scope="col" data-numeric>
          Tokens
        </th>
      )}
      {has.cost && <SortHeader words="Cost" sort="cost" numeric {...ordering} />}
    </tr>
  </thead>
)

interface SortHeaderProps extends Pick<RunListProps, 'order' | 'onOrder'> {
  words: string
  sort: RunSort
  numeric?: boolean
}

/** The heading of a column by which runs can be sorted. A press on the column in use reverses the order. */
function SortHeader({ words, sort, numeric = false, order, onOrder }: SortHeaderProps) {
  const on = order.sort === sort
  const Arrow = on && order.rising ? IconArrowUp : IconArrowDown
  return (
    <th
      scope="col"
      data-numeric={numeric || undefined}
      aria-sort={on ? (order.rising ? 'ascending' : 'descending') : undefined}
    >
      <button type="button" className="ag-sort" data-on={on} onClick={() => onOrder(pressedOrder(order, sort))}>
        {words}
        {on && <Arrow size={13} aria-hidden />}
      </button>
    </th>
  )
}

interface RowProps {
  agent: Agent
  run: Run
  has: ShownColumns
  open: boolean
  toggle: () => void
}

/**
 * A row of the table of runs. A click in the row opens or closes the details of the run, except a click on a link, a
 * button or a time, or while text is selected.
 */
function Row({ agent, run, has, open, toggle }: RowProps) {
  const click = (event: MouseEvent) => {
    if (event.target instanceof Element && event.target.closest('a, button, time')) return
    if (!window.getSelection()?.toString()) toggle()
  }
  return (
    <tr className="ag-run" data-open={open} onClick={click}>
      <td className="ag-open">
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={`Details of run ${run.id}`}
          aria-expanded={open}
          onClick={toggle}
        >
          {open ? <IconChevronDown size={15} aria-hidden /> : <IconChevronRight size={15} aria-hidden />}
        </ActionIcon>
      </td>
      <td className="ag-nowrap">
        <RunStarted run={run} />
      </td>
      {has.status && (
        <td className="ag-nowrap">
          <RunStatus run={run} />
        </td>
      )}
      {has.kind && <td className="ag-some">{run.kind !== undefined && <Text>{run.kind}</Text>}</td>}
      {has.subject && (
        <td className="ag-subject">
          <FirstSubject run={run} />
        </td>
      )}
      {has.model && (
        <td className="ag-models">
          <Models run={run} />
        </td>
      )}
      <td data-numeric className="ag-nowrap">
        <RunLength run={run} agent={agent} />
      </td>
      {has.tokens && (
        <td data-numeric>
          <RunTokens run={run} />
        </td>
      )}
      {has.cost && <td data-numeric>{run.cost_usd !== undefined && <Cost usd={run.cost_usd} />}</td>}
    </tr>
  )
}

function Models({ run }: { run: Run }) {
  const [first, ...more] = modelsOf(run)
  if (!first) return null
  return (
    <>
      <Text>{first[0]}</Text>
      {more.length > 0 && <MoreCount count={more.length} />}
    </>
  )
}

/** Shows runs as cards, for narrow screens. */
export const RunCards = ({ agent, runs, opened, toggle, isOneJob }: RunListProps) => (
  <ul className="svc-list ag-cards">
    {runs.map((run) => (
      <li key={run.id} data-open={run.id === opened}>
        <Card agent={agent} run={run} open={run.id === opened} toggle={() => toggle(run.id)} isOneJob={isOneJob} />
      </li>
    ))}
  </ul>
)

interface CardProps extends Pick<RunListProps, 'isOneJob'> {
  agent: Agent
  run: Run
  open: boolean
  toggle: () => void
}

/**
 * A card of a run, headed by its first subject, its kind or its id, or by its start if `isOneJob`. The card also shows
 * the run's status, duration, start and cost and, if `open`, its details.
 */
function Card({ agent, run, open, toggle, isOneJob }: CardProps) {
  return (
    <>
      <div className="ag-card-head">
        <div className="ag-card-what">
          {isOneJob && run.started !== undefined ? (
            dateAndTime(run.started * 1000, serviceNow())
          ) : run.subjects?.[0] ? (
            <FirstSubject run={run} />
          ) : (
            <Text>{run.kind ?? run.id}</Text>
          )}
        </div>
        <div className="ag-card-how">
          <RunStatus run={run} />
          <DottedParts
            parts={[
              <RunLength key="took" run={run} agent={agent} />,
              run.started !== undefined && <Time key="started" at={run.started * 1000} />,
              run.cost_usd !== undefined && <Cost key="cost" usd={run.cost_usd} />,
            ]}
          />
        </div>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={44}
          aria-expanded={open}
          aria-label={`${open ? 'Close' : 'Details'} of run ${run.id}`}
          onClick={toggle}
        >
          {open ? <IconChevronDown size={16} aria-hidden /> : <IconChevronRight size={16} aria-hidden />}
        </ActionIcon>
      </div>
      {open && (
        <div className="ag-card-open">
          <div className="ag-quiet">
            <DottedParts
              parts={[
                <RunStarted key="started" run={run} />,
                run.kind !== undefined && <Text key="kind">{run.kind}</Text>,
                ...modelsOf(run)
                  .slice(0, 2)
                  .map(([model]) => <Text key={model}>{model}</Text>),
                run.output_tokens !== undefined && (
                  <>
                    <RunTokens run={run} /> tokens
                  </>
                ),
              ]}
            />
          </div>
          <RunDetails run={run} agent={agent} />
        </div>
      )}
    </>
  )
}
