/** Commands to a named agent, as people type them into the palette: "pause mail-1". Pure functions. */
import type { FleetRow } from '@svc/api'
import { foldedText } from '@svc/api/filter'
import { type Control, trimInvisible } from '@svc/protocol'
import { controlNames } from '../../agents/parts/life.ts'

/** The maximum number of agents for which the palette offers a command. */
const maxAgents = 4
const controls = Object.entries(controlNames) as [Control, string][]

interface TypedCommand {
  /** The command that is typed first or last; undefined if there is none. */
  control: Control | undefined
  /** The other words, which are about agents. */
  about: string
  /** True if the command is typed first: "pause mail". */
  isLeading: boolean
}

/** Splits typed words into a command and the words about agents. A command alone is searched like any other word. */
export function splitTypedCommand(typed: string): TypedCommand {
  const text = foldedText(trimInvisible(typed))
  const none = { control: undefined, about: text, isLeading: false }
  if (controls.some(([, name]) => name.toLowerCase() === text)) return none
  for (const [control, name] of controls)
    for (const verb of [name.toLowerCase(), ...(control === 'run_now' ? ['run'] : [])]) {
      if (text.startsWith(`${verb} `))
        return { control, about: trimInvisible(text.slice(verb.length)), isLeading: true }
      if (text.endsWith(` ${verb}`))
        return { control, about: trimInvisible(text.slice(0, -verb.length)), isLeading: false }
    }
  return none
}

/**
 * True if commands are listed before agents, so that Enter chooses a command: "pause mail", or "mail-1 pause" if the
 * agent mail-1 exists. Other words that end with a command, such as "night run", may mean agents.
 */
export function isCommandFirst(typed: string, agents: readonly Pick<FleetRow, 'name'>[]): boolean {
  const { control, about, isLeading } = splitTypedCommand(typed)
  return control !== undefined && (isLeading || agents.some(({ name }) => name === about))
}

/** A control of an agent, as an entry of the palette. */
export interface AgentCommand {
  control: Control
  agent: Pick<FleetRow, 'name' | 'silentAt' | 'controls'>
  /** The words of the entry: `Pause mail-1`. */
  words: string
}

/**
 * The commands that fit the typed text. If it contains a command, that command for each of the best agents that offers
 * it; otherwise, all commands of the agent whose whole name is typed.
 */
export function commandsFor(typed: string, agents: readonly AgentCommand['agent'][]): AgentCommand[] {
  const { control, about } = splitTypedCommand(typed)
  const offered = control === undefined ? agents.filter(({ name }) => name === about) : agents
  return offered
    .slice(0, maxAgents)
    .flatMap((agent) =>
      controls
        .filter(([one]) => (control === undefined || one === control) && agent.controls.includes(one))
        .map(([one, name]) => ({ control: one, agent, words: `${name} ${agent.name}` })),
    )
}
