import { ActionIcon, Button } from '@mantine/core'
import type { Command } from '@svc/api'
import { IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { Text, Time, useClock } from '../../ui/index.ts'
import { Tone } from '../../ui/parts.tsx'
import type { Agent } from '../parts/agent.ts'
import { controlNames, dueWords, isControl, isOpen, undoOf, wordsOf } from '../parts/life.ts'
import { CommandTitle } from './CommandTitle.tsx'
import { ReadLog } from './ReadLog.tsx'
import { undoFor } from './undo.ts'
import { useToasts } from './useToasts.tsx'
import './commands.css'

interface FollowingProps {
  agent: Agent
  commands: readonly Command[]
  left: readonly Command[]
  dismiss: (id: string) => void
}

/**
 * Shows the pending commands of an agent, and the results of those that the person has sent since they opened the page.
 * A command that was carried out leaves after a while; what can be done about it is then in a toast.
 */
export function Following({ agent, commands, left, dismiss }: FollowingProps) {
  const last = lastControl([...commands, ...left])
  useToasts(agent, left, last?.id)
  return (
    <ul
      className="ag-following"
      aria-live="polite"
      aria-label="Commands in progress"
      data-empty={commands.length === 0}
    >
      {commands.map((command) => (
        <li key={command.id} data-tone={wordsOf(command).tone}>
          <One agent={agent} command={command} undoable={command.id === last?.id} dismiss={() => dismiss(command.id)} />
        </li>
      ))}
    </ul>
  )
}

/** The latest pause or resume. Only this one can be undone, because it has replaced the earlier ones. */
const lastControl = (commands: readonly Command[]): Command | undefined =>
  commands
    .filter(({ type }) => isControl(type) && undoOf[type] !== undefined)
    .sort((a, b) => b.createdAt - a.createdAt)[0]

interface OneProps {
  agent: Agent
  command: Command
  undoable: boolean
  dismiss: () => void
}

function One({ agent, command, undoable, dismiss }: OneProps) {
  const { word, tone, means } = wordsOf(command)
  return (
    <>
      <CommandTitle command={command} schema={agent.page.report?.settings?.schema} />
      <Tone tone={tone} title={means}>
        {word}
      </Tone>
      {command.state === 'queued' && !agent.silent && <Due nextAt={agent.page.nextReportAt} />}
      {command.message && (
        <q className="ag-words">
          <Text>{command.message}</Text>
        </q>
      )}
      {isOpen(command) && (
        <span className="ag-quiet">
          by <Text>{command.createdBy}</Text>, <Time at={command.createdAt} />
        </span>
      )}
      <span className="ag-following-end">
        <Further agent={agent} command={command} undoable={undoable} />
        {!isOpen(command) && (
          <ActionIcon variant="subtle" color="gray" size="sm" aria-label="Dismiss" onClick={dismiss}>
            <IconX size={14} aria-hidden />
          </ActionIcon>
        )}
      </span>
    </>
  )
}

/** Says when the next report is due. Screen readers read it with the command, but not each time that it changes. */
function Due({ nextAt }: { nextAt: number | null }) {
  const words = useClock((now) => dueWords(nextAt, now) ?? '')
  return (
    <span className="ag-quiet" aria-live="off">
      {words}
    </span>
  )
}

/**
 * Offers what a person can do after the agent answered a command: read the log that it sent, or undo a pause or a
 * resume.
 */
function Further({ agent, command, undoable }: Omit<OneProps, 'dismiss'>) {
  const [sending, setSending] = useState(false)
  const undo = undoable ? undoFor(agent, command) : undefined
  if (command.logId !== null) return <ReadLog log={command.logId} />
  if (undo === undefined) return null
  return (
    <Button
      variant="default"
      size="compact-sm"
      loading={sending}
      onClick={() => {
        setSending(true)
        agent.press
          .send({ type: undo })
          .catch(() => undefined)
          .finally(() => setSending(false))
      }}
    >
      Undo: {controlNames[undo]}
    </Button>
  )
}
