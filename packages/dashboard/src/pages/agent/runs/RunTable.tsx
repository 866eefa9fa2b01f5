import { ActionIcon } from '@mantine/core'
import type { Run } from '@svc/protocol'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { Fragment, useState } from 'react'
import { Cost, Text } from '../../../ui/index.ts'
import type { Agent } from '../parts/agent.ts'
import { FirstSubject, Length, modelsOf, RunDetails, Started, Status, Tokens } from './parts.tsx'

/** Columns of which no run on this page says anything are left out. */
const columns = {
  kind: (run: Run) => run.kind !== undefined,
  status: (run: Run) => run.status !== undefined,
  subject: (run: Run) => (run.subjects?.length ?? 0) > 0,
  model: (run: Run) => modelsOf(run).length > 0,
  tokens: (run: Run) => run.output_tokens !== undefined,
  cost: (run: Run) => run.cost_usd !== undefined,
} as const

export function RunTable({ agent, runs }: { agent: Agent; runs: readonly Run[] }) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const has = Object.fromEntries(Object.entries(columns).map(([name, there]) => [name, runs.some(there)])) as Record<
    keyof typeof columns,
    boolean
  >
  const toggle = (id: string) =>
    setOpened((before) => {
      const after = new Set(before)
      if (!after.delete(id)) after.add(id)
      return after
    })
  return (
    <div className="svc-card ag-runs">
      <table className="ag-table">
        <thead>
          <tr>
            <td />
            <th scope="col">Started</th>
            {has.status && <th scope="col">Status</th>}
            {has.kind && <th scope="col">Kind</th>}
            {has.subject && <th scope="col">Subject</th>}
            {has.model && <th scope="col">Model</th>}
            <th scope="col" data-numeric>
              Took
            </th>
            {has.tokens && (
              <th scope="col" data-numeric>
                Tokens
              </th>
            )}
            {has.cost && (
              <th scope="col" data-numeric>
                Cost
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <Fragment key={run.id}>
              <tr
                className="ag-run"
                data-open={opened.has(run.id)}
                onClick={(event) => {
                  if (event.target instanceof Element && event.target.closest('a, button, time')) return
                  if (!window.getSelection()?.toString()) toggle(run.id)
                }}
              >
                <td className="ag-open">
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size="sm"
                    aria-label={`Details of run ${run.id}`}
                    aria-expanded={opened.has(run.id)}
                    onClick={() => toggle(run.id)}
                  >
                    {opened.has(run.id) ? (
                      <IconChevronDown size={15} aria-hidden />
                    ) : (
                      <IconChevronRight size={15} aria-hidden />
                    )}
                  </ActionIcon>
                </td>
                <td className="ag-nowrap">
                  <Started run={run} />
                </td>
                {has.status && (
                  <td className="ag-nowrap">
                    <Status run={run} />
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
                  <Length run={run} agent={agent} />
                </td>
                {has.tokens && (
                  <td data-numeric>
                    <Tokens run={run} />
                  </td>
                )}
                {has.cost && <td data-numeric>{run.cost_usd !== undefined && <Cost usd={run.cost_usd} />}</td>}
              </tr>
              {opened.has(run.id) && (
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

function Models({ run }: { run: Run }) {
  const [first, ...more] = modelsOf(run)
  if (!first) return null
  return (
    <>
      <Text>{first[0]}</Text>
      {more.length > 0 && <span className="ag-quiet"> and {more.length} more</span>}
    </>
  )
}
