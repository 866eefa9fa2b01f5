import type { ActiveRun } from '@svc/protocol'
import { lasting, Text, useClock } from '../../ui/index.ts'
import { Dotted, Section } from '../../ui/parts.tsx'
import { count, figure } from '../../ui/time/format.ts'
import { AskForLog } from '../parts/AskForLog.tsx'
import { AsOf } from '../parts/AsOf.tsx'
import type { Agent } from '../parts/agent.ts'
import { Subjects } from './Subjects.tsx'

/** Shows the agent's runs in progress. The header says it if there are none. */
export function Active({ agent, runs }: { agent: Agent; runs: readonly ActiveRun[] }) {
  const old = agent.page.statusOld
  return (
    <Section
      title={agent.silent || old ? 'Was running' : 'Running now'}
      flush
      aside={
        <Dotted parts={[old && <AsOf key="as-of" agent={agent} />, runs.length > 1 && count(runs.length, 'run')]} />
      }
    >
      <ul className="svc-rows">
        {runs.map((run, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: runs in progress have no id
          <li key={`${i}-${run.started}`} className="ag-active">
            <One agent={agent} run={run} until={agent.silent ? agent.page.seenAt : old ? agent.page.statusAt : null} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

function One({ agent, run, until }: { agent: Agent; run: ActiveRun; until: number | null }) {
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
                run.started !== undefined && <RunningSince key="since" started={run.started} until={until} />,
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

/**
 * Shows how long a run has lasted. The time counts on only while the agent reports and its status file is new (D20,
 * D65), because otherwise nobody knows whether the run continues.
 */
function RunningSince({ started, until }: { started: number; until: number | null }) {
  const words = useClock((now) => lasting((until ?? now) - started * 1000))
  return (
    <span>
      {until === null ? 'for' : 'had run for'} {words}
    </span>
  )
}
