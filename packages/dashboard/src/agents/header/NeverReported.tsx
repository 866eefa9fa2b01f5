import { Button, Stack } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { meQuery } from '../../data/queries.ts'
import { CopyLines, Help } from '../../ui/index.ts'
import { Section } from '../../ui/parts.tsx'
import { ReachNote } from '../../ui/values/ReachNote.tsx'
import { FetchProgram } from '../dialogs/FetchProgram.tsx'
import { RotateDialog } from '../dialogs/index.ts'
import { connectLine, reportLine, runLine, serviceLine } from '../dialogs/lines.ts'
import { Bindings } from '../overview/Bindings.tsx'
import { Versions } from '../overview/Versions.tsx'
import type { Agent } from '../parts/agent.ts'
import '../overview/overview.css'

/**
 * Shown before the agent's first report: explains how to make the agent report. When the report arrives, the page shows
 * it instead.
 */
export const NeverReported = ({ agent }: { agent: Agent }) =>
  agent.page.blueprint === null ? <NotConnected agent={agent} /> : <NotStarted agent={agent} />

/** Explains how to start an agent that was installed with an install code. */
function NotStarted({ agent }: { agent: Agent }) {
  const { page } = agent
  return (
    <div className="svc-column ag-never">
      <Section title="Installed, not started yet">
        <Stack gap="sm">
          <p role="status">
            Its report will appear here. An installation starts nothing by itself. Start the agent in its folder on its
            machine:
          </p>
          <CopyLines text={serviceLine(page.name)} label="line that starts it now and at every boot" />
          <p>Or only in this terminal:</p>
          <CopyLines text={runLine(page.name)} label="line that starts it in the terminal" />
          <p className="ag-quiet">
            If the installation failed on the machine, delete this agent and issue another code.
          </p>
          <Help about="runtime#running" />
        </Stack>
      </Section>
      <Versions agent={agent} />
      {page.bindings.length > 0 && <Bindings agent={agent} />}
    </div>
  )
}

function NotConnected({ agent: { slug, page } }: { agent: Agent }) {
  const { service } = useSuspenseQuery(meQuery).data
  const [rotating, setRotating] = useState(false)
  const [used, setUsed] = useState(false)
  const rotate = () => {
    setUsed(true)
    setRotating(true)
  }
  return (
    <div className="svc-column ag-never">
      <Section title="Waiting for its first report">
        <Stack gap="sm">
          <p role="status">Its report will appear here.</p>
          <ReachNote address={service.baseUrl} />
          {service.runtime ? (
            <>
              <p>On the agent’s machine, in the agent’s folder:</p>
              <FetchProgram baseUrl={service.baseUrl} />
              <CopyLines text={connectLine(service.baseUrl, page.name, '.')} label="line that connects" />
              <CopyLines text={reportLine('.')} label="line that reports" />
            </>
          ) : (
            <p>
              Any program can report by posting JSON to <code>{service.baseUrl}/api/agent/v1/report</code> with the
              agent’s token as bearer, every 30 seconds.
            </p>
          )}
          {page.canAct ? (
            <p>
              The token was shown when the agent was added. If it is lost:{' '}
              <Button variant="default" size="compact-sm" onClick={rotate}>
                Create new token
              </Button>
            </p>
          ) : (
            <p className="ag-quiet">It needs the token that was shown to the admin who added it.</p>
          )}
          <Help about="start#connect-a-program-that-already-runs" />
        </Stack>
      </Section>
      {used && (
        <Suspense>
          <RotateDialog slug={slug} name={page.name} opened={rotating} onClose={() => setRotating(false)} />
        </Suspense>
      )}
    </div>
  )
}
