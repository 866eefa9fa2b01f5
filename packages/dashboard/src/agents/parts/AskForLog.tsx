import { IconFileText } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { WhyButton } from '../../ui/parts.tsx'
import type { Agent } from './agent.ts'
import { commandStateWords } from './life.ts'

interface AskForLogProps {
  agent: Agent
  name: string
  /** The label of the button. */
  words?: ReactNode
}

/**
 * A button that requests one log of the agent by name, for example the log of a run. The agent answers by uploading the
 * log (2.8).
 */
export function AskForLog({ agent, name, words = 'Log' }: AskForLogProps) {
  const [sending, setSending] = useState(false)
  const under = agent.press.under({ type: 'log', payload: { name } })
  const why = !agent.page.canAct
    ? 'Only admins of this workspace can read logs.'
    : sending
      ? 'Sending…'
      : under
        ? `Already ${commandStateWords(under).word}.`
        : agent.page.logs.includes(name)
          ? null
          : 'The agent no longer offers this log.'
  return (
    <WhyButton
      variant="default"
      size="compact-sm"
      label={`Request log ${name}`}
      leftSection={<IconFileText size={14} aria-hidden />}
      why={why}
      onClick={() => {
        setSending(true)
        agent.press
          .send({ type: 'log', payload: { name } })
          .catch(() => undefined)
          .finally(() => setSending(false))
      }}
    >
      {words}
    </WhyButton>
  )
}
