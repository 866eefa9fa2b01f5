import { Button, Stack } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { RotateDialog } from '../../../agents/index.ts'
import { connectLine, downloadLines, reportLine } from '../../../agents/lines.ts'
import { meQuery } from '../../../queries.ts'
import { CopyLines } from '../../../ui/index.ts'
import type { Agent } from '../agent.ts'
import { Section } from '../ui.tsx'

/** Before the first report there is nothing to show: how to bring it about. The page fills by itself once it comes. */
export function NeverReported({ agent: { slug, page } }: { agent: Agent }) {
  const { service } = useSuspenseQuery(meQuery).data
  const [rotating, setRotating] = useState(false)
  return (
    <div className="ag-never">
      <Section title="Waiting for its first report">
        <Stack gap="sm">
          <p role="status">It has not reported yet. What it reports will stand here within a second of its coming.</p>
          {service.runtime ? (
            <>
              <p>On the agent’s machine, in the agent’s folder:</p>
              <CopyLines text={downloadLines(service.baseUrl)} label="lines that fetch the program" />
              <CopyLines text={connectLine(service.baseUrl, page.name, '.')} label="line that connects" />
              <CopyLines text={reportLine('.')} label="line that reports" />
            </>
          ) : (
            <p>
              Any program can report: it posts JSON to <code>{service.baseUrl}/api/agent/v1/report</code> with the
              agent’s token as bearer, every 30 seconds.
            </p>
          )}
          {page.canAct ? (
            <p>
              The token was shown when the agent was added. If it got lost:{' '}
              <Button variant="default" size="compact-sm" onClick={() => setRotating(true)}>
                Make a new token
              </Button>
            </p>
          ) : (
            <p className="ag-quiet">It needs the token that an admin of this workspace was shown when adding it.</p>
          )}
        </Stack>
      </Section>
      <RotateDialog slug={slug} name={page.name} opened={rotating} onClose={() => setRotating(false)} />
    </div>
  )
}
