import { Stack, Text, TextInput } from '@mantine/core'
import type { NewToken } from '@svc/api'
import { trimInvisible } from '@svc/protocol'
import { IconKey } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { meQuery } from '../../data/queries.ts'
import { Help } from '../../ui/index.ts'
import { CopyLines } from '../../ui/values/CopyLines.tsx'
import { ReachNote } from '../../ui/values/ReachNote.tsx'
import { adoptLine, connectLine, reportLine } from './paste-lines.ts'
import './agents.css'

interface TokenStepsProps {
  token: NewToken
  /**
   * True if the agent was installed from a blueprint. Its folder then has the agent's name, and its runtime picks up
   * the new token by itself.
   */
  installed: boolean
}

/**
 * Shows the new token of an agent, and the lines to paste on the agent's machine. The page cannot show the token again.
 */
export function TokenSteps({ token: { name, token }, installed }: TokenStepsProps) {
  const { service } = useSuspenseQuery(meQuery).data
  return (
    <Stack gap="md">
      <ReachNote address={service.baseUrl} />
      <NumberedStep title="The new token">
        <CopyLines text={token} label="token" />
        <TokenOnce />
      </NumberedStep>
      {service.runtime ? (
        <NumberedStep title="Connect again">
          {installed ? (
            <Program name={name} baseUrl={service.baseUrl} installed />
          ) : (
            <>
              <section className="svc-way">
                <h4>A program in a folder</h4>
                <Program name={name} baseUrl={service.baseUrl} />
              </section>
              <section className="svc-way">
                <h4>The cron jobs of the machine</h4>
                <Jobs name={name} baseUrl={service.baseUrl} />
              </section>
            </>
          )}
        </NumberedStep>
      ) : (
        <NumberedStep title="Report">
          <WithoutProgram baseUrl={service.baseUrl} />
        </NumberedStep>
      )}
    </Stack>
  )
}

export const TokenOnce = () => (
  <p className="svc-once">
    <IconKey size={16} aria-hidden />
    Copy it now: you won’t see it again. Anyone with it can report as this agent.
  </p>
)

/** Says how an agent reports to a service that has no program to download. */
export const WithoutProgram = ({ baseUrl }: { baseUrl: string }) => (
  <Text>
    This service has no <code>svc.pyz</code> to download. Any program can report by posting JSON to{' '}
    <code className="svc-wrap">{baseUrl}/api/agent/v1/report</code> with the token as bearer, every 30 s.
  </Text>
)

/**
 * Shows the line that gives an agent its new token. If the agent was not installed from a blueprint, the line that
 * restarts its reporter follows.
 */
function Program({ name, baseUrl, installed = false }: { name: string; baseUrl: string; installed?: boolean }) {
  const [folder, setFolder] = useState(installed ? name : '.')
  const dir = trimInvisible(folder) || '.'
  return (
    <Stack gap={8}>
      <TextInput
        label="The agent’s folder on its machine"
        value={folder}
        onChange={(event) => setFolder(event.currentTarget.value)}
        spellCheck={false}
        autoComplete="off"
      />
      <CopyLines text={connectLine(baseUrl, name, dir)} label="line that connects" />
      <Text c="dimmed" fz="xs">
        It asks for the token without showing it, then tests it.
      </Text>
      {installed ? (
        <Text c="dimmed" fz="sm">
          The running reporter uses the new token from its next report. The agent keeps running.
        </Text>
      ) : (
        <>
          <CopyLines text={reportLine(dir)} label="line that reports" />
          <Text c="dimmed" fz="xs">
            Restart the reporter with this line. It reports until you stop it. The agent never waits for it.
          </Text>
        </>
      )}
    </Stack>
  )
}

/** Shows the line that connects the cron jobs of a machine. */
const Jobs = ({ name, baseUrl }: { name: string; baseUrl: string }) => (
  <Stack gap={8}>
    <CopyLines text={adoptLine(baseUrl, name)} label="line that shows cron jobs" />
    <Text c="dimmed" fz="xs">
      It asks before it changes a line of your crontab, asks for the token without showing it, and reports from then on.
      Commands and their output stay on the machine. <Help about="jobs#adopt-your-crontab" />
    </Text>
  </Stack>
)

/** One of several numbered steps on the page. `order` is the level of the step's heading. */
export function NumberedStep({ title, order = 3, children }: { title: string; order?: 2 | 3; children: ReactNode }) {
  const Heading = `h${order}` as const
  return (
    <section className="svc-step">
      <Heading>{title}</Heading>
      <Stack gap={8}>{children}</Stack>
    </section>
  )
}
