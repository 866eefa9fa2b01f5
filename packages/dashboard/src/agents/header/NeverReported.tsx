import { Button, Loader } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense, useState } from 'react'
import { meQuery } from '../../data/queries.ts'
import { Help } from '../../ui/index.ts'
import { CopyLines } from '../../ui/values/CopyLines.tsx'
import { ReachNote } from '../../ui/values/ReachNote.tsx'
import { FetchProgram } from '../dialogs/FetchProgram.tsx'
import { RotateDialog } from '../dialogs/index.ts'
import { KeepRunning } from '../dialogs/KeepRunning.tsx'
import { connectLine, runLine, serviceLine } from '../dialogs/paste-lines.ts'
import { NumberedStep } from '../dialogs/TokenSteps.tsx'
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

/** Says that the page waits, and that it shows the report by itself. */
const Waiting = ({ children }: { children: ReactNode }) => (
  <div className="svc-waiting">
    <Loader size={16} aria-hidden />
    <span role="status">
      <strong>Waiting for its first report.</strong> {children} This page shows the report when it comes.
    </span>
  </div>
)

/** Explains how to start an agent that was installed with an install code. */
function NotStarted({ agent }: { agent: Agent }) {
  const { page } = agent
  return (
    <div className="svc-column ag-never">
      <Waiting>It is installed, and not started yet.</Waiting>
      <NumberedStep order={2} title="Start it in its folder on its machine">
        <CopyLines text={serviceLine(page.name)} label="line that starts it now and at every boot" />
        <p className="ag-quiet">Or only in this terminal:</p>
        <CopyLines text={runLine(page.name)} label="line that starts it in the terminal" />
        <p className="ag-quiet">
          If the installation failed on the machine, delete this agent and issue another code.{' '}
          <Help about="runtime#running" />
        </p>
      </NumberedStep>
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
  const lost = (
    <span className="ag-lost">
      Lost it?{' '}
      <Button variant="default" size="compact-sm" onClick={rotate}>
        Create new token
      </Button>
    </span>
  )
  return (
    <div className="svc-column ag-never">
      <Waiting>{page.canAct ? '' : 'It needs the token that was shown to the admin who added it.'}</Waiting>
      <ReachNote address={service.baseUrl} />
      {service.runtime ? (
        <>
          <NumberedStep order={2} title="1. Fetch the program, in the agent’s folder on its machine">
            <FetchProgram baseUrl={service.baseUrl} />
          </NumberedStep>
          <NumberedStep order={2} title="2. Connect">
            <CopyLines text={connectLine(service.baseUrl, page.name, '.')} label="line that connects" />
            {page.canAct && (
              <p className="ag-quiet">It asks for the token, which was shown when the agent was added. {lost}</p>
            )}
            <p className="ag-quiet">
              <Help about="start#connect-a-program-that-already-runs" />
            </p>
          </NumberedStep>
          <NumberedStep order={2} title="3. Keep it running">
            <KeepRunning />
          </NumberedStep>
        </>
      ) : (
        <NumberedStep order={2} title="Report">
          <p>
            Any program can report by posting JSON to <code>{service.baseUrl}/api/agent/v1/report</code> with the
            agent’s token as bearer, every 30 seconds.
          </p>
          {page.canAct && <p className="ag-quiet">The token was shown when the agent was added. {lost}</p>}
        </NumberedStep>
      )}
      {used && (
        <Suspense>
          <RotateDialog slug={slug} name={page.name} opened={rotating} onClose={() => setRotating(false)} />
        </Suspense>
      )}
    </div>
  )
}
