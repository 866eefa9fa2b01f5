import { IconFileText } from '@tabler/icons-react'
import { useState } from 'react'
import { WhyButton } from '../../../ui/parts.tsx'
import type { Agent } from '../parts/agent.ts'
import { wordsOf } from '../parts/life.ts'

interface AskForLogProps {
  agent: Agent
  name: string
  /** On the button. */
  words?: string
}

/** Asks the agent for the log that a run names; the answer is the log itself (2.7). */
export function AskForLog({ agent, name, words = 'Log' }: AskForLogProps) {
  const [sending, setSending] = useState(false)
  const under = agent.press.under({ type: 'log', payload: { name } })
  const why = !agent.page.canAct
    ? 'Logs are for admins of this workspace.'
    : sending
      ? 'It is being sent.'
      : under
        ? `It is asked for already: ${wordsOf(under).word}.`
        : agent.page.logs.includes(name)
          ? null
          : 'The agent does not offer this log any more.'
  return (
    <WhyButton
      variant="default"
      size="compact-sm"
      label={`Ask for log ${name}`}
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
