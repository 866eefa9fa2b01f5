import { commandTypes, readWish, shown } from '@svc/protocol'
import { command } from '../kit/command.ts'
import { argument, granted, Misused, operator, type Request } from '../kit/request.ts'
import { moment, table } from '../kit/show.ts'

const path: [string, string] = ['<slug/name>', 'the workspace and the name of the agent']
/** Of the newest commands; the page has them all. */
const listed = 200

export const commandCommands = {
  'command send': command({
    says: 'wish something of an agent: pause, resume, run_now, set KEY=JSON…, log NAME',
    args: [path, ['<what>', commandTypes.join(', ')], ['[values...]', 'for set: KEY=JSON…, for log: its name']],
    run: async (request, service, { agentOf, queueCommand }) => {
      const wish = wishOf(request)
      const { agent, workspace } = await agentOf(service, argument(request, 0))
      const { store, live, now } = service
      const { command, made } = granted(await queueCommand(store.db, agent, wish, operator, now()))
      live.changed(workspace.id, agent.id)
      return { id: command.id, type: command.type, state: command.state, made }
    },
    show: ({ id, type, made }) =>
      made
        ? `Queued ${type} (${id}); it goes out with the answer to the next report.`
        : `The same ${type} is under way already (${id}).`,
  }),
  'command list': command({
    says: 'what was wished of an agent and what became of it, newest first',
    args: [path],
    run: async (request, service, { agentOf, ledgerOf }) => {
      const { agent } = await agentOf(service, argument(request, 0))
      return (await ledgerOf(service.store.db, agent, { offset: 0, limit: listed }, service.now())).rows
    },
    show: (all) =>
      table(
        ['SENT', 'BY', 'WHAT', 'STATE', 'ANSWER'],
        all.map((c) => [moment(c.createdAt), c.createdBy, wishText(c), c.state, c.message]),
        'Nothing was wished of it yet.',
      ),
  }),
}

const wishText = ({ type, payload }: { type: string; payload: Record<string, unknown> }) =>
  Object.keys(payload).length === 0 ? type : `${type} ${JSON.stringify(payload)}`

/** The wish that was typed. What the agent does not offer is refused later, by the same function as on the page. */
export function wishOf(request: Request) {
  const [, type = '', ...values] = request.args
  const verdict = readWish({ type, payload: payloadOf(type, values) })
  if (!verdict.ok) throw new Misused(verdict.message)
  return verdict.value
}

function payloadOf(type: string, values: string[]): Record<string, unknown> {
  if (type === 'set') return settingsOf(values)
  if (type === 'log') {
    if (values.length !== 1) throw new Misused('One log is asked for at a time: command send SLUG/NAME log NAME')
    return { name: values[0] }
  }
  if (values.length > 0) throw new Misused(`${shown(type)} takes no values: got ${shown(values.join(' '))}.`)
  return {}
}

/** `every=5 label="weekly" off=null`; what is no JSON is taken as text, since a shell eats the quotes. */
function settingsOf(pairs: string[]): Record<string, unknown> {
  if (pairs.length === 0) throw new Misused('What is to be set? command send SLUG/NAME set KEY=JSON…')
  const settings: Record<string, unknown> = Object.create(null)
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    if (at < 1) throw new Misused(`A setting is written KEY=JSON: got ${shown(pair)}.`)
    const key = pair.slice(0, at)
    if (key in settings) throw new Misused(`The setting ${shown(key)} is named twice.`)
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
