/** Operations on actions. An action sends one command to many agents, and has an outcome for each agent. */
import { isObject, readCommand } from '@svc/protocol'
import {
  type ActionOffers,
  type ActionOffersInput,
  type ActionPage,
  type ActionPreview,
  type Actions,
  actionStates,
  actionTypes,
  chosenTypes,
  type NewAction,
} from '../answers/actions.ts'
import * as bounds from '../bounds.ts'
import {
  count,
  InputRefused,
  object,
  oneOf,
  optional,
  pastedWord,
  query,
  type Reader,
  reader,
  wordOf,
} from '../input.ts'
import { change, proofIf, reading } from '../operation.ts'
import { slugArgument } from './arguments.ts'
import { filterText } from './filter-text.ts'
import { agentNames, maxBytesOfMany, maxNamedAgents } from './many.ts'

/** The maximum number of agents of one action, and of an action that requests logs. */
export const maxActionAgents = { any: maxNamedAgents, log: 200 } as const

const values: Reader<Record<string, unknown>> = reader({ is: 'settings' }, (value, field) => {
  if (isObject(value)) return value as Record<string, unknown>
  throw new InputRefused(`${field} must be a JSON object.`)
})
const shape = object({
  type: oneOf(actionTypes),
  agents: agentNames,
  values: optional(values),
  filter: optional(filterText),
})
function checkAgents({ type, agents }: Pick<NewAction, 'type' | 'agents'>): void {
  if (type === 'log' && agents.length > maxActionAgents.log)
    throw new InputRefused(`A log is requested from at most ${maxActionAgents.log} agents: got ${agents.length}.`)
}
/** Reads the request that sends an action. Its values must fit its type, as for a command to one agent. */
const newAction: Reader<NewAction> = reader(shape.form, (value, field) => {
  const read = shape(value, field)
  checkAgents(read)
  if (read.type === 'lift' || read.type === 'delete') return { ...read, values: {} }
  const body = readCommand({ type: read.type, payload: read.values })
  if (!body.ok) throw new InputRefused(body.message, body.code)
  return { ...read, values: body.value.payload }
})

const offersShape = object({ type: oneOf(chosenTypes), agents: agentNames })
const offersInput: Reader<ActionOffersInput> = reader(offersShape.form, (value, field) => {
  const read = offersShape(value, field)
  checkAgents(read)
  return read
})

const needsProofToDelete = proofIf<NewAction>('if the type is delete', ({ type }) => type === 'delete', 'delete agents')
const byRunner = { none: 'queuing the commands tells the pages of each agent' }
const actionArgument = ['<slug/id>', 'the workspace, and the id as svc-server action list shows it'] as const

export const actions = reading<Actions>()('GET /w/:slug/actions', {
  says: 'list the actions of a workspace of the last 30 days, newest first',
  input: query({ before: pastedWord, limit: count(100, 25) }),
  command: { name: 'action list', args: [slugArgument] },
})
export const sendAction = change<{ id: string }>()('POST /w/:slug/actions', {
  says: 'send many agents the same command: pause, resume, run_now, set KEY=JSON…, log NAME, lift, delete',
  input: newAction,
  maxBytes: maxBytesOfMany,
  makes: true,
  proof: needsProofToDelete,
  audit: ['action.sent'],
  pages: byRunner,
  again: 'new',
  adds: bounds.actions,
  command: {
    name: 'action send',
    args: [
      slugArgument,
      ['<what>', actionTypes.join(', ')],
      ['[values...]', 'for set: KEY=JSON…, where anything but JSON counts as text; for log: its name'],
    ],
    options: [
      ['--agents <names>', 'the agents: NAME,NAME…'],
      ['--filter <filter>', 'the agents that a filter selects, as in svc-server agent list'],
      ['--expect <number>', 'with --filter: refuse unless it selects exactly this many agents'],
    ],
  },
})
export const previewAction = change<ActionPreview>()('POST /w/:slug/actions/preview', {
  says: 'preview an action: the number of agents that it would reach, and those that it would skip with the reason',
  input: newAction,
  maxBytes: maxBytesOfMany,
  audit: { none: 'it changes nothing; it is a POST since its body may be large' },
  pages: { none: 'it changes nothing' },
  again: 'same',
  adds: null,
})
export const actionOffers = change<ActionOffers>()('POST /w/:slug/actions/offers', {
  says: 'show the settings that some agents declare, or the logs that they offer, each with the number of agents',
  input: offersInput,
  maxBytes: maxBytesOfMany,
  audit: { none: 'it changes nothing; it is a POST since its body may be large' },
  pages: { none: 'it changes nothing' },
  again: 'same',
  adds: null,
})
export const showAction = reading<ActionPage>()('GET /w/:slug/actions/:id', {
  says: 'show an action with the outcome for each agent',
  input: query({ state: wordOf(actionStates, undefined) }),
  command: { name: 'action show', args: [actionArgument] },
})
export const retryAction = change<{ id: string }>()('POST /w/:slug/actions/:id/retry', {
  says: 'send the command again to the agents that did not get or did not answer it',
  makes: true,
  audit: ['action.sent'],
  pages: byRunner,
  again: 'new',
  adds: bounds.actions,
  command: { name: 'action retry', args: [actionArgument] },
})
export const cancelAction = change<{ cancelled: number }>()('POST /w/:slug/actions/:id/cancel', {
  says: 'cancel the commands of an action that wait; commands that somebody else also sent stay',
  audit: ['action.cancelled'],
  pages: byRunner,
  again: 'refused',
  adds: null,
  command: { name: 'action cancel', args: [actionArgument] },
})
