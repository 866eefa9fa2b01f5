import { ActionIcon, Button } from '@mantine/core'
import type { Command } from '@svc/api'
import { IconX } from '@tabler/icons-react'
import { useState } from 'react'
import type { Agent } from '../../../agents/parts/agent.ts'
import { controlNames, isControl, isOpen, undoOf, wordsOf } from '../../../agents/parts/life.ts'
import { Text, Time } from '../../../ui/index.ts'
import { Tone } from '../../../ui/parts.tsx'
import { CommandTitle } from './CommandTitle.tsx'
import { ReadLog } from './ReadLog.tsx'
import './commands.css'

interface FollowingProps {
  agent: Agent
  commands: readonly Command[]
  dismiss: (id: string) => void
}

/**
 * Shows the pending commands of an agent, and the results of those that the person has sent since they opened the page.
 */
export function Following({ agent, commands, dismiss }: FollowingProps) {
  // Only the latest pause or resume can be undone, because it has replaced the earlier ones.
  const last = commands.find(({ type }) => isControl(type) && undoOf[type] !== undefined)
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

/**
 * Offers what a person can do after the agent answered a command: read the log that it sent, or undo a pause or a
 * resume.
 */
function Further({ agent, command, undoable }: Omit<OneProps, 'dismiss'>) {
  const [sending, setSending] = useState(false)
  const undo = undoable && isControl(command.type) ? undoOf[command.type] : undefined
  const done = command.state === 'applied' || command.state === 'applied_late'
  const offered = undo !== undefined && agent.page.report?.controls?.includes(undo)
  if (command.logId !== null) return <ReadLog log={command.logId} />
  if (!done || !offered || undo === undefined || !agent.page.canAct || agent.press.under({ type: undo })) return null
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
