/** Toasts about commands that have left the list above the tabs: they keep the button to undo a command or read a log. */
import { Button, Group } from '@mantine/core'
import type { Command } from '@svc/api'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { paths } from '../../paths.ts'
import { Text } from '../../ui/index.ts'
import { notify, unnotify } from '../../ui/notify.tsx'
import type { Agent } from '../parts/agent.ts'
import { controlNames, titleOf } from '../parts/life.ts'
import { undoFor } from './undo.ts'

/** The milliseconds for which such a toast is shown. */
const shownMs = 20_000
const done = { pause: 'Paused', resume: 'Resumed', run_now: '' } as const

/** Shows a toast for each command that leaves. `last` is the id of the only pause or resume that can be undone. */
export function useToasts(agent: Agent, left: readonly Command[], last: string | undefined): void {
  const navigate = useNavigate()
  const told = useRef(new Set<string>())
  const { slug, page } = agent
  const undoing = `undo ${slug}/${page.name}`
  const lastHasLeft = left.some(({ id }) => id === last)
  useEffect(() => {
    // A later pause or resume replaces the one that the toast offers to undo.
    if (!lastHasLeft) unnotify(undoing)
  }, [lastHasLeft, undoing])
  useEffect(() => {
    for (const command of left) {
      if (told.current.has(command.id)) continue
      told.current.add(command.id)
      const undo = command.id === last ? undoFor(agent, command) : undefined
      if (command.logId !== null) {
        const search = { tab: 'logs' as const, log: command.logId }
        const read = () => void navigate({ to: paths.agent, params: { slug, name: page.name }, search })
        toast(command.id, 'Read log', read, <Text>{`${page.name}: log ${titleOf(command).what ?? ''}`}</Text>)
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
    unnotify(id)
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
