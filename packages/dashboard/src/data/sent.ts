/**
 * Hands a command that the palette sent to the page of its agent, which then shows its answer like that of a command
 * which the page sent itself. Only the memory of this window holds it, so a reload shows it no more.
 */
import type { ShownCommand } from '@svc/api'

interface JustSent {
  slug: string
  /** The name of the agent. */
  name: string
  command: ShownCommand
}

let waiting: JustSent | undefined

/** Keeps a command that was just sent for the page of its agent. */
export const handOverCommand = (sent: JustSent): void => {
  waiting = sent
}

/** Returns the command that waits for the page of this agent, once. Opening another agent's page ends the wait. */
export function takeSentCommand(slug: string, name: string): ShownCommand | undefined {
  const sent = waiting
  waiting = undefined
  return sent?.slug === slug && sent.name === name ? sent.command : undefined
}
