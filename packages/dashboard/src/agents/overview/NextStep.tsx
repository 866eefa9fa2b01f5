import { Stack } from '@mantine/core'
import { CopyLines, Text } from '../../ui/index.ts'
import { Help } from '../../ui/page/Help.tsx'
import { Section } from '../../ui/parts.tsx'
import { statusLine } from '../dialogs/lines.ts'
import type { Agent } from '../parts/agent.ts'

/** Says how an agent that reports gets a level: the smallest status file, to paste on its machine (2.11). */
export default function NextStep({ agent: { page } }: { agent: Agent }) {
  const { agent, runtime } = page.report ?? {}
  return (
    <Section title="Next step">
      <Stack gap="sm" className="ag-next">
        {page.blueprint !== null ? (
          <p>
            The agent reports, but it has no status yet. Its program writes a status file; the key <code>status</code>{' '}
            in <code>svc.agent.yaml</code> says where. The smallest one is <code>{smallest}</code>.
          </p>
        ) : runtime !== undefined ? (
          <>
            <p>
              The agent reports, but it has no status yet. Write a status file into its folder
              {agent?.host !== undefined && (
                <>
                  {' '}
                  on <Text>{agent.host}</Text>
                </>
              )}
              , and this page shows it with the next report:
            </p>
            <CopyLines text={statusLine(smallest)} label="line that writes a status file" />
          </>
        ) : (
          <p>
            The agent reports, but it has no status yet. Add it to the reports: <code>{smallest.slice(1, -1)}</code>.
          </p>
        )}
        <p className="ag-quiet">
          The same file can hold health, runs with their costs, gauges and more. The folder <code>examples</code> of the
          source code has three agents that do this. <Help about="start#write-a-status-file" />
        </p>
      </Stack>
    </Section>
  )
}

const smallest = '{"state":{"level":"ok","label":"Hello"}}'
