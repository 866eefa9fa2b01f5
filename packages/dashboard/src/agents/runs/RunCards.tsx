import { Button } from '@mantine/core'
import type { Run } from '@svc/protocol'
import { Cost, Text } from '../../ui/index.ts'
import { Dotted } from '../../ui/parts.tsx'
import type { Agent } from '../parts/agent.ts'
import type { RunListProps } from './list.ts'
import { FirstSubject, Length, modelsOf, RunDetails, Started, Status, Tokens } from './parts.tsx'

/** Shows runs as cards, for narrow screens. */
export const RunCards = ({ agent, runs, opened, toggle }: RunListProps) => (
  <ul className="svc-list ag-cards">
    {runs.map((run) => (
      <li key={run.id} className="svc-card" data-open={run.id === opened}>
        <Card agent={agent} run={run} open={run.id === opened} toggle={() => toggle(run.id)} />
      </li>
    ))}
  </ul>
)

interface CardProps {
  agent: Agent
  run: Run
  open: boolean
  toggle: () => void
}

function Card({ agent, run, open, toggle }: CardProps) {
  return (
    <>
      <div className="ag-card-head">
        <Status run={run} />
        <span>
          <Started run={run} />
        </span>
      </div>
      <FirstSubject run={run} />
      <div className="ag-quiet">
        <Dotted
          parts={[
            run.kind !== undefined && <Text key="kind">{run.kind}</Text>,
            ...modelsOf(run)
              .slice(0, 2)
              .map(([model]) => <Text key={model}>{model}</Text>),
            <Length key="took" run={run} agent={agent} />,
            run.output_tokens !== undefined && (
              <>
                <Tokens run={run} /> tokens
              </>
            ),
            run.cost_usd !== undefined && <Cost key="cost" usd={run.cost_usd} />,
          ]}
        />
      </div>
      <Button
        variant="default"
        size="compact-sm"
        mt={6}
        aria-expanded={open}
        aria-label={`${open ? 'Close' : 'Details'} of run ${run.id}`}
        onClick={toggle}
      >
        {open ? 'Close' : 'Details'}
      </Button>
      {open && <RunDetails run={run} agent={agent} />}
    </>
  )
}
