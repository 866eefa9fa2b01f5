import { ActionIcon, Button, Group } from '@mantine/core'
import type { ShownCommand } from '@svc/api'
import { IconX } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Text, Time, useClock } from '../../ui/index.ts'
import { Tone } from '../../ui/parts.tsx'
import type { Agent } from '../parts/agent.ts'
import {
  commandStateWords,
  commandTitleOf,
  controlNames,
  isControl,
  isPendingCommand,
  nextReportWords,
  undoingControl,
} from '../parts/life.ts'
import { CommandTitle } from './CommandTitle.tsx'
import { ReadLog } from './ReadLog.tsx'
import './commands.css'
import type { Control } from '@svc/protocol'
import { useNavigate } from '@tanstack/react-router'
import { paths } from '../../paths.ts'
import { closeNotice, notify } from '../../ui/notify.tsx'

interface CommandsInProgressProps {
  agent: Agent
  commands: readonly ShownCommand[]
  left: readonly ShownCommand[]
  dismiss: (id: string) => void
}

/**
 * Shows the pending commands of an agent, and the results of those that the person has sent since they opened the page.
 * A command that was carried out leaves the list after a while. A toast then offers what the person can do next.
 */
export function CommandsInProgress({ agent, commands, left, dismiss }: CommandsInProgressProps) {
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
        <li key={command.id} data-tone={commandStateWords(command).tone}>
          <CommandInProgress
            agent={agent}
            command={command}
            undoable={command.id === last?.id}
            dismiss={() => dismiss(command.id)}
          />
        </li>
      ))}
    </ul>
  )
}

/** The latest pause or resume. Only this one can be undone, because it has replaced the earlier ones. */
const lastControl = (commands: readonly ShownCommand[]): ShownCommand | undefined =>
  commands
    .filter(({ type }) => isControl(type) && undoingControl[type] !== undefined)
    .sort((a, b) => b.createdAt - a.createdAt)[0]

interface OneProps {
  agent: Agent
  command: ShownCommand
  undoable: boolean
  dismiss: () => void
}

function CommandInProgress({ agent, command, undoable, dismiss }: OneProps) {
  const { word, tone, means } = commandStateWords(command)
  return (
    <>
      <CommandTitle command={command} schema={agent.page.report?.settings?.schema} />
      <Tone tone={tone} title={means}>
        {word}
      </Tone>
      {command.state === 'queued' && !agent.offline && <DueTime nextAt={agent.page.nextReportAt} />}
      {command.message && (
        <q className="ag-words">
          <Text>{command.message}</Text>
        </q>
      )}
      {isPendingCommand(command) && (
        <span className="ag-quiet">
          by <Text>{command.createdBy}</Text>, <Time at={command.createdAt} />
        </span>
      )}
      <span className="ag-following-end">
        <CommandButtons agent={agent} command={command} undoable={undoable} />
        {!isPendingCommand(command) && (
          <ActionIcon variant="subtle" color="gray" size="sm" aria-label="Dismiss" onClick={dismiss}>
            <IconX size={14} aria-hidden />
          </ActionIcon>
        )}
      </span>
    </>
  )
}

/** Says when the next report is due. Screen readers read it with the command, but not each time that it changes. */
function DueTime({ nextAt }: { nextAt: number | null }) {
  const words = useClock((now) => nextReportWords(nextAt, now) ?? '')
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
function CommandButtons({ agent, command, undoable }: Omit<OneProps, 'dismiss'>) {
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

/** The time for which a toast about a command that ended is shown, in milliseconds. */
const shownMs = 20_000
const done = { pause: 'Paused', resume: 'Resumed', run_now: '' } as const

/**
 * Shows a toast for each command in `left` whose log can be read or that can be undone. `left` has the commands that
 * were carried out and have left the list. `last` is the id of the only command that can be undone.
 */
function useToasts(agent: Agent, left: readonly ShownCommand[], last: string | undefined): void {
  const navigate = useNavigate()
  const told = useRef(new Set<string>())
  const { slug, page } = agent
  const undoing = `undo ${slug}/${page.name}`
  const lastHasLeft = left.some(({ id }) => id === last)
  useEffect(() => {
    // A later pause or resume replaces the one that the toast offers to undo.
    if (!lastHasLeft) closeNotice(undoing)
  }, [lastHasLeft, undoing])
  useEffect(() => {
    for (const command of left) {
      if (told.current.has(command.id)) continue
      told.current.add(command.id)
      const undo = command.id === last ? undoFor(agent, command) : undefined
      if (command.logId !== null) {
        const search = { tab: 'logs' as const, log: command.logId }
        const read = () => void navigate({ to: paths.agent, params: { slug, name: page.name }, search })
        const words = (
          <span>
            <Text>{page.name}</Text>: log <Text mono>{commandTitleOf(command).what ?? ''}</Text>
          </span>
        )
        toast(command.id, 'Read log', read, words)
      } else if (undo !== undefined) {
        const send = () => void agent.press.send({ type: undo }).catch(() => undefined)
        const words = done[undo === 'resume' ? 'pause' : 'resume']
        toast(undoing, `Undo: ${controlNames[undo]}`, send, <Text>{`${page.name}: ${words}`}</Text>)
      }
    }
  })
}

function toast(id: string, button: string, act: () => void, words: ReactNode): void {
  const press = () => {
    closeNotice(id)
    act()
  }
  const message = (
    <Group justify="space-between" gap="sm">
      {words}
      <Button variant="default" size="compact-sm" onClick={press}>
        {button}
      </Button>
    </Group>
  )
  notify({ id, message, autoClose: shownMs })
}

/** The control that undoes a command that was carried out, if the person may send it now. */
function undoFor(agent: Agent, { type, state }: ShownCommand): Control | undefined {
  const undo = isControl(type) ? undoingControl[type] : undefined
  const done = state === 'applied' || state === 'applied_late'
  if (!done || undo === undefined || !agent.page.canAct || agent.press.under({ type: undo })) return undefined
  return agent.page.report?.controls?.includes(undo) ? undo : undefined
}
