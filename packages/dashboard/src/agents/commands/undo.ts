import type { Command } from '@svc/api'
import type { Control } from '@svc/protocol'
import type { Agent } from '../parts/agent.ts'
import { isControl, undoOf } from '../parts/life.ts'

/** The control that undoes a command that was carried out, if the person may send it now. */
export function undoFor(agent: Agent, { type, state }: Command): Control | undefined {
  const undo = isControl(type) ? undoOf[type] : undefined
  const done = state === 'applied' || state === 'applied_late'
  if (!done || undo === undefined || !agent.page.canAct || agent.press.under({ type: undo })) return undefined
  return agent.page.report?.controls?.includes(undo) ? undo : undefined
}
