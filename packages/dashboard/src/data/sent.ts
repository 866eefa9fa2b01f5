/**
 * Hands a command that the palette sent to the agent's page, which then shows its progress like that of the page's own
 * commands. The command is only in memory, so it is lost on a reload.
 */
import type { ShownCommand } from '@svc/api'

interface JustSent {
  slug: string
  /** The name of the agent. */
  name: string
  command: ShownCommand
}

let waiting: JustSent | undefined

/** Keeps a command that was just sent until the page of an agent opens. */
export const handOverCommand = (sent: JustSent): void => {
  waiting = sent
}

/** Returns the command if it was sent to this agent, and forgets it in any case. */
export function takeSentCommand(slug: string, name: string): ShownCommand | undefined {
  const sent = waiting
  waiting = undefined
  return sent?.slug === slug && sent.name === name ? sent.command : undefined
}
