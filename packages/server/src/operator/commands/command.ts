/** Commands that send a command to an agent, and that show the commands and the logs of an agent. */
import { commands } from '@svc/api'
import { clean, readCommand, shown } from '@svc/protocol'
import { operationCommand } from '../shared/command.ts'
import { onAgent } from '../shared/params.ts'
import { perform } from '../shared/perform.ts'
import { argument, asOperator, MissingError, type OperatorRequest, UsageError } from '../shared/request.ts'
import { tableText, timeText } from '../shared/show.ts'

/** The maximum number of an agent's commands that the terminal lists, newest first. The page shows all of them. */
const maxListed = 200

export const commandCommands = {
  ...operationCommand(commands.sendCommand, {
    run: async (call) => {
      const body = bodyOf(call)
      const { command, made } = await perform(call, commands.sendCommand, await onAgent(call), body)
      return { id: command.id, type: command.type, state: command.state, made }
    },
    show: ({ id, type, made }) =>
      made
        ? `Queued ${type} (${id}). It will be sent in the answer to the next report.`
        : `The same ${type} is already in progress (${id}).`,
  }),
  ...operationCommand(commands.commandLedger, {
    at: onAgent,
    run: async ({ store, now }, { agent }) => {
      const { readCommandsPage } = await import('../../web/queries/commands.ts')
      return (await readCommandsPage(store.db, agent, { offset: 0, limit: maxListed }, now())).rows
    },
    show: (all) =>
      tableText(
        ['SENT', 'BY', 'WHAT', 'STATE', 'ANSWER'],
        all.map((c) => [timeText(c.createdAt), c.createdBy, commandText(c), c.state, c.message]),
        'No commands yet.',
      ),
  }),
}

const commandText = ({ type, payload }: { type: string; payload: Record<string, unknown> }) =>
  Object.keys(payload).length === 0 ? type : `${type} ${JSON.stringify(payload)}`

/**
 * Reads the command for an agent from the typed arguments. Sending checks later if the agent offers the command, with
 * the same function as the page.
 */
function bodyOf(request: OperatorRequest) {
  const [, type = '', ...values] = request.args
  const verdict = readCommand({ type, payload: payloadOf('command send SLUG/NAME', type, values) })
  if (!verdict.ok) throw new UsageError(verdict.message)
  return verdict.value
}

/** Reads the values of a command from the typed arguments. `usage` is the start of the typed command, for messages. */
export function payloadOf(usage: string, type: string, values: readonly string[]): Record<string, unknown> {
  if (type === 'set') return settingsOf(usage, values)
  if (type === 'log') {
    if (values.length !== 1) throw new UsageError(`Request one log at a time: ${usage} log NAME`)
    return { name: values[0] }
  }
  if (values.length > 0) throw new UsageError(`${shown(type)} takes no values: got ${shown(values.join(' '))}.`)
  return {}
}

/** Reads `every=5 label="weekly" off=null`. A value that is not JSON is a text, since the shell removes the quotes. */
function settingsOf(usage: string, pairs: readonly string[]): Record<string, unknown> {
  if (pairs.length === 0) throw new UsageError(`Name the settings to change: ${usage} set KEY=JSON…`)
  const settings: Record<string, unknown> = Object.create(null)
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    if (at < 1) throw new UsageError(`A setting is written KEY=JSON: got ${shown(pair)}.`)
    const key = pair.slice(0, at)
    if (key in settings) throw new UsageError(`The setting ${shown(key)} is named twice.`)
    settings[key] = jsonOrText(pair.slice(at + 1))
  }
  return { ...settings }
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export const logCommands = {
  ...operationCommand(commands.logs, {
    at: onAgent,
    run: async ({ store, now }, { agent }) => {
      const { readLogs } = await import('../../web/queries/logs.ts')
      return readLogs(store.db, agent, now())
    },
    show: (all) =>
      tableText(
        ['ID', 'LOG', 'RECEIVED', 'BYTES', 'KEPT UNTIL', 'ASKED BY'],
        all.map((l) => [l.id, l.name, timeText(l.receivedAt), l.bytes, timeText(l.expiresAt), l.askedBy]),
        'No logs are stored. Request one: svc-server command send SLUG/NAME log NAME',
      ),
  }),
  ...operationCommand(commands.showLog, {
    run: async (call) => {
      const { noteReading } = await import('../../fleet/logs/reading.ts')
      const { findLog } = await import('../../web/queries/logs.ts')
      const { db, by, now } = asOperator(call)
      const id = argument(call, 0)
      const agent = await db
        .selectFrom('log')
        .innerJoin('agent', 'agent.id', 'log.agent_id')
        .select(['agent.id', 'agent.name', 'agent.workspace_id'])
        .where('log.id', '=', id)
        .executeTakeFirst()
      const log = agent && (await findLog(db, agent, id, now))
      if (!log) throw new MissingError(`There is no log ${shown(id)}. It may have been deleted.`)
      await noteReading(db, { workspaceId: agent.workspace_id, agent, by, now, log, how: 'log.read' })
      return log
    },
    show: ({ text }) => clean(text).trimEnd(),
  }),
}
