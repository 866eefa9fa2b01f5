/** The controls of an agent's page: buttons for those that make sense now, and items of the menu for the others. */
import { Menu } from '@mantine/core'
import type { Control } from '@svc/protocol'
import { IconPlayerPause, IconPlayerPlay, IconPlayerTrackNext } from '@tabler/icons-react'
import { type ComponentType, type Ref, useState } from 'react'
import { useFocusedPart } from '../../ui/index.ts'
import { WhyButton } from '../../ui/parts.tsx'
import { type Agent, adminsOnly } from '../parts/agent.ts'
import { commandStateWords, controlNames, whyNotWhilePaused } from '../parts/life.ts'
import { isPaused } from '../parts/machine.ts'
import { offlineText } from '../parts/press.ts'

const icons: Readonly<Record<Control, ComponentType<{ size?: number; 'aria-hidden'?: boolean }>>> = {
  pause: IconPlayerPause,
  resume: IconPlayerPlay,
  run_now: IconPlayerTrackNext,
}

/** The buttons for the controls that make sense now. The menu has the other ones that the agent offers (2.1). */
export function Controls({ agent }: { agent: Agent }) {
  const { shown } = controlsOf(agent)
  // If *Pause* has the focus when *Resume* replaces it, or the other way round, the new button gets the focus.
  const first = useFocusedPart<HTMLButtonElement>(shown.join())
  return shown.map((control, i) => (
    <ControlButton key={control} agent={agent} control={control} ref={i === 0 ? first : null} />
  ))
}

/**
 * Returns the controls that the agent offers, in a fixed order: `shown` as buttons, and `others` in the menu. *Pause*
 * for a paused agent and *Resume* for any other are in the menu, unless such a command is pending.
 */
export function controlsOf({ page, press }: Agent): Record<'shown' | 'others', Control[]> {
  const offered = (Object.keys(controlNames) as Control[]).filter((one) => page.report?.controls?.includes(one))
  const useless: Control = isPaused(page) ? 'pause' : 'resume'
  const isShown = (type: Control) => type !== useless || press.under({ type }) !== undefined
  return { shown: offered.filter(isShown), others: offered.filter((type) => !isShown(type)) }
}

interface ControlPress {
  press: () => void
  /** The reason why the control cannot be pressed; null if it can. */
  why: string | null
}

function useControl(agent: Agent, control: Control): ControlPress {
  const [sending, setSending] = useState(false)
  const under = agent.press.under({ type: control })
  const press = async () => {
    setSending(true)
    await agent.press.send({ type: control }).catch(() => undefined)
    setSending(false)
  }
  return { press: () => void press(), why: whyNot(agent, control, sending, under && commandStateWords(under).word) }
}

/** A control in the menu, with the reason below it if it cannot be pressed. */
export function ControlItem({ agent, control }: { agent: Agent; control: Control }) {
  const { press, why } = useControl(agent, control)
  const Icon = icons[control]
  return (
    <Menu.Item disabled={why !== null} leftSection={<Icon size={15} aria-hidden />} onClick={press}>
      {controlNames[control]}
      {why !== null && <div className="ag-quiet">{why}</div>}
    </Menu.Item>
  )
}

interface ControlButtonProps {
  agent: Agent
  control: Control
  ref: Ref<HTMLButtonElement>
}

function ControlButton({ agent, control, ref }: ControlButtonProps) {
  const { press, why } = useControl(agent, control)
  const Icon = icons[control]
  return (
    <WhyButton
      ref={ref}
      variant={control === 'resume' && isPaused(agent.page) ? 'filled' : 'default'}
      size="sm"
      leftSection={<Icon size={15} aria-hidden />}
      onClick={press}
      why={why}
      note={agent.offline ? offlineText : null}
    >
      {controlNames[control]}
    </WhyButton>
  )
}

function whyNot(agent: Agent, control: Control, sending: boolean, under: string | undefined): string | null {
  if (!agent.page.canAct) return adminsOnly
  if (sending) return 'Sending…'
  if (under !== undefined) return `Already ${under}.`
  return isPaused(agent.page) ? whyNotWhilePaused[control] : null
}
