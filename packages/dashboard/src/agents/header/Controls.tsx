import type { Control } from '@svc/protocol'
import { IconPlayerPause, IconPlayerPlay, IconPlayerTrackNext } from '@tabler/icons-react'
import { type ComponentType, useState } from 'react'
import { WhyButton } from '../../ui/parts.tsx'
import { type Agent, adminsOnly } from '../parts/agent.ts'
import { controlNames, whilePaused, wordsOf } from '../parts/life.ts'
import { isPaused } from '../parts/machine.ts'
import { minutesToAnswer } from '../parts/press.ts'

const icons: Readonly<Record<Control, ComponentType<{ size?: number; 'aria-hidden'?: boolean }>>> = {
  pause: IconPlayerPause,
  resume: IconPlayerPlay,
  run_now: IconPlayerTrackNext,
}

/** The buttons for the controls that the agent offers (2.1), in a fixed order. */
export function Controls({ agent }: { agent: Agent }) {
  const offered = agent.page.report?.controls ?? []
  return (
    <>
      {(Object.keys(controlNames) as Control[])
        .filter((control) => offered.includes(control))
        .map((control) => (
          <ControlButton key={control} agent={agent} control={control} />
        ))}
    </>
  )
}

function ControlButton({ agent, control }: { agent: Agent; control: Control }) {
  const [sending, setSending] = useState(false)
  const under = agent.press.under({ type: control })
  const Icon = icons[control]
  const paused = isPaused(agent.page)
  const press = async () => {
    setSending(true)
    await agent.press.send({ type: control }).catch(() => undefined)
    setSending(false)
  }
  return (
    <WhyButton
      variant={paused && control === 'resume' ? 'filled' : 'default'}
      size="sm"
      leftSection={<Icon size={15} aria-hidden />}
      onClick={() => void press()}
      why={whyNot(agent, control, sending, under && wordsOf(under).word)}
      note={
        agent.silent ? `The agent is offline: without a report within ${minutesToAnswer} minutes, this expires.` : null
      }
    >
      {controlNames[control]}
    </WhyButton>
  )
}

function whyNot(agent: Agent, control: Control, sending: boolean, under: string | undefined): string | null {
  if (!agent.page.canAct) return adminsOnly
  if (sending) return 'Sending…'
  if (under !== undefined) return `Already ${under}.`
  return isPaused(agent.page) ? whilePaused[control] : null
}
