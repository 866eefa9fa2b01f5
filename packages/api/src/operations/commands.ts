/** Operations on commands that people send to agents (3.2), and on logs that agents sent in answer (2.8). */
import { type CommandBody, type Control, commandTypes, controls, readCommand } from '@svc/protocol'
import type { BulkResult, Commands, LogEntry, LogText, ShownCommand } from '../answers/agents.ts'
import * as bounds from '../bounds.ts'
import { count, InputRefused, list, object, oneOf, pasted, query, type Reader, reader } from '../input.ts'
import { change, reading } from '../operation.ts'
import { agentArgument } from './arguments.ts'

/** A command as a page sends it: without a payload if its type has none. */
type SentCommand = { type: Control } | Exclude<CommandBody, { type: Control }>

const commandForm = {
  is: 'object',
  fields: { type: { is: 'words', words: ['set'] }, payload: { is: 'settings' } },
} as const
const commandBody: Reader<CommandBody, SentCommand> = reader(commandForm, (value) => {
  object({})(value, '')
  const read = readCommand(value)
  if (read.ok) return read.value
  throw new InputRefused(read.message, read.code)
})
/** The maximum number of agents in one request about many agents. */
export const maxBulkAgents = 2000
const bulkBytes = 256 * 1024

export const commandLedger = reading<Commands>()('GET /w/:slug/agents/:name/commands', {
  says: 'list the commands sent to an agent with their states, newest first',
  input: query({ offset: count(1_000_000, 0), limit: count(200, 50) }),
  command: { name: 'command list', args: [agentArgument] },
})
export const sendCommand = change<ShownCommand>()('POST /w/:slug/agents/:name/commands', {
  says: 'send an agent a command: pause, resume, run_now, set KEY=JSON…, log NAME',
  input: commandBody,
  makes: true,
  audit: ['command.sent'],
  pages: ['agent'],
  again: 'same',
  adds: bounds.commands,
  command: {
    name: 'command send',
    args: [
      agentArgument,
      ['<what>', commandTypes.join(', ')],
      ['[values...]', 'for set: KEY=JSON…, where anything but JSON counts as text; for log: its name'],
    ],
  },
})
export const sendAgain = change<ShownCommand>()('POST /w/:slug/agents/:name/commands/:id/again', {
  says: 'send a finished command again',
  makes: true,
  audit: ['command.sent'],
  pages: ['agent'],
  again: 'same',
  adds: bounds.commands,
})
export const sendToMany = change<BulkResult[]>()('POST /w/:slug/commands', {
  says: 'send many agents the same command',
  input: object({ agents: list(pasted(), maxBulkAgents), type: oneOf(controls) }),
  maxBytes: bulkBytes,
  audit: ['action.sent'],
  pages: ['agent'],
  again: 'new',
  adds: bounds.actions,
})
export const logs = reading<LogEntry[]>()('GET /w/:slug/agents/:name/logs', {
  right: 'admin',
  says: 'list the kept logs of an agent, newest first',
  command: { name: 'log list', args: [agentArgument] },
})
export const showLog = reading<LogText>()('GET /w/:slug/agents/:name/logs/:id', {
  right: 'admin',
  says: 'show the text of a log',
  command: { name: 'log show', args: [['<id>', 'as svc-server log list names it']] },
})
export const downloadLog = reading<string>()('GET /w/:slug/agents/:name/logs/:id/download', {
  right: 'admin',
  says: 'download the text of a log',
  manual: 'its answer is the file itself; who downloaded it is in the activity',
})
