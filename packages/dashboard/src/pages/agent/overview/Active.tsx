import type { ActiveRun } from '@svc/protocol'
import { count, figure } from '../../../ui/format.ts'
import { lasting, Text, useClock } from '../../../ui/index.ts'
import { Dotted, Section } from '../../../ui/parts.tsx'
import type { Agent } from '../agent.ts'
import { AskForLog } from '../logs/AskForLog.tsx'
import { Subjects } from './Subjects.tsx'

/** What it is doing now. An empty list is a statement too: nothing. */
export function Active({ agent, runs }: { agent: Agent; runs: readonly ActiveRun[] }) {
  return (
    <Section
      title={agent.silent ? 'Was running' : 'Running now'}
      flush
      aside={runs.length > 1 && count(runs.length, 'run')}
    >
      {runs.length === 0 ? (
        <p className="ag-nothing">Nothing is running.</p>
      ) : (
        <ul className="svc-rows">
          {runs.map((run, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: runs in progress have no id
            <li key={`${i}-${run.started}`} className="ag-active">
              <One agent={agent} run={run} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

function One({ agent, run }: { agent: Agent; run: ActiveRun }) {
  return (
    <>
      <div className="ag-active-head">
        <span>
          {run.kind !== undefined && (
            <strong>
              <Text>{run.kind}</Text>
            </strong>
          )}{' '}
          <span className="ag-quiet">
            <Dotted
              parts={[
                run.model !== undefined && <Text key="model">{run.model}</Text>,
                run.started !== undefined && (
                  <RunningSince key="since" started={run.started} until={agent.silent ? agent.page.seenAt : null} />
                ),
                run.steps !== undefined && `${figure(run.steps)} ${run.steps === 1 ? 'step' : 'steps'}`,
              ]}
            />
          </span>
        </span>
        {run.log !== undefined && <AskForLog agent={agent} name={run.log} />}
      </div>
      {run.detail !== undefined && (
        <p>
          <Text lines>{run.detail}</Text>
        </p>
      )}
      {run.subjects && run.subjects.length > 0 && <Subjects subjects={run.subjects} />}
    </>
  )
}

/** Ticks while reports come; of a silent agent nobody knows whether it still runs (D20). */
function RunningSince({ started, until }: { started: number; until: number | null }) {
  const words = useClock((now) => lasting((until ?? now) - started * 1000))
  return (
    <span>
      {until === null ? 'for' : 'had run for'} {words}
    </span>
  )
}
