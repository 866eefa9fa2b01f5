import { Button } from '@mantine/core'
import type { ShownCommand } from '@svc/api'
import { IconSend2 } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { queryKeys, read } from '../../data/queries.ts'
import { Empty, exactTime, LeftOut, lastingText, Text, Time } from '../../ui/index.ts'
import { notifyFailed } from '../../ui/notify.tsx'
import { QueryState } from '../../ui/pages/QueryState.tsx'
import { Tone } from '../../ui/parts.tsx'
import { type Agent, useAgentPageParams } from '../parts/agent.ts'
import { commandStateWords, commandStepsOf, isPendingCommand } from '../parts/life.ts'
import { Pager } from '../parts/Pager.tsx'
import { CommandTitle } from './CommandTitle.tsx'
import { ReadLog } from './ReadLog.tsx'

const pageSize = 50

/**
 * Lists the commands of an agent, page by page: who sent each command and when, and its result in the agent's words
 * (3.2).
 */
export default function Commands({ agent }: { agent: Agent }) {
  const { slug, page } = agent
  const params = useAgentPageParams()
  const at = params.page()
  const query = useQuery(
    read(
      'GET /w/:slug/agents/:name/commands',
      { slug, name: page.name },
      { offset: (at - 1) * pageSize, limit: pageSize },
    ),
  )
  const { data } = query
  if (!data) return <QueryState of={query} waiting={null} />
  if (data.rows.length === 0)
    return (
      <Empty icon={IconSend2} title="No commands yet" order={2} help="page#commands">
        Commands that you send appear here. The agent takes them with its next report and may refuse them.
      </Empty>
    )
  return (
    <>
      <ol className="svc-card svc-list ag-ledger">
        {data.rows.map((command) => (
          <li key={command.id}>
            <CommandItem agent={agent} command={command} />
          </li>
        ))}
      </ol>
      <LeftOut rows={data.leftOff?.rows ?? 0} what={['command']} />
      <Pager
        page={at}
        size={pageSize}
        total={data.total}
        onPage={(to) => params.go({ page: to > 1 ? to : undefined })}
      />
    </>
  )
}

function CommandItem({ agent, command }: { agent: Agent; command: ShownCommand }) {
  const { word, tone, means } = commandStateWords(command)
  const steps = commandStepsOf(command)
  return (
    <>
      <span className="ag-entry-word">
        <Tone tone={tone}>{word}</Tone>
      </span>
      <div className="ag-entry-what">
        <CommandTitle command={command} schema={agent.page.report?.settings?.schema} />{' '}
        <span className="ag-quiet">
          requested by <Text>{command.createdBy}</Text>
        </span>
      </div>
      <div className="ag-entry-said">
        {command.message && (
          <q className="ag-words">
            <Text lines>{command.message}</Text>
          </q>
        )}
        {(tone === 'lost' || isPendingCommand(command)) && <div className="ag-quiet">{means}</div>}
      </div>
      <ol className="svc-list ag-steps" aria-label="Steps">
        {steps.map(({ word, at }, i) => (
          <li key={`${word}-${at}`} title={exactTime(at)}>
            {i === 0 ? <Time at={at} /> : `${word} after ${lastingText(at - (steps[i - 1]?.at ?? at))}`}
          </li>
        ))}
        {isPendingCommand(command) && command.dueAt !== null && (
          <li>
            ends <Time at={command.dueAt} />
          </li>
        )}
      </ol>
      <div className="ag-entry-next">
        <NextButton agent={agent} command={command} />
      </div>
    </>
  )
}

/**
 * Offers what an admin can do after a command: read the log that the agent sent, or send an unsuccessful command again.
 */
function NextButton({ agent: { slug, page }, command }: { agent: Agent; command: ShownCommand }) {
  const client = useQueryClient()
  const [sending, setSending] = useState(false)
  if (command.logId !== null && page.canAct) return <ReadLog log={command.logId} />
  const over = commandStateWords(command).tone
  if (!page.canAct || (over !== 'lost' && over !== 'no')) return null
  const sendAgain = async () => {
    setSending(true)
    try {
      await call('POST /w/:slug/agents/:name/commands/:id/again', { slug, name: page.name, id: command.id })
      await client.invalidateQueries({ queryKey: queryKeys.agent(slug, page.name) })
    } catch (error) {
      notifyFailed('Not sent', error)
    }
    setSending(false)
  }
  return (
    <Button variant="default" size="compact-sm" loading={sending} onClick={() => void sendAgain()}>
      Send again
    </Button>
  )
}
