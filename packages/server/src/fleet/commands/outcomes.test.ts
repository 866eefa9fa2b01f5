import { expect, test } from 'vitest'
import { type ActionAgentFacts, actionOutcomeOf, actionStateOf } from './outcomes.ts'

const none = { outcome: null, message: null, commandId: null, commandState: null, commandMessage: null }

test.each<[string, Partial<ActionAgentFacts>, string]>([
  ['an agent whose turn has not come waits', {}, 'waiting'],
  ['a queued command waits', { commandState: 'queued' }, 'waiting'],
  ['a delivered command is sent', { commandState: 'delivered' }, 'sent'],
  ['an ack applies it', { commandState: 'applied' }, 'applied'],
  ['an ack that came late counts (D3)', { commandState: 'applied_late' }, 'applied'],
  ['the agent refused it', { commandState: 'refused' }, 'refused'],
  ['the agent refused it late (D3)', { commandState: 'refused_late' }, 'refused'],
  ['it was never delivered (D2)', { commandState: 'expired' }, 'expired'],
  ['no answer came, or it was no longer offered (D6)', { commandState: 'failed' }, 'failed'],
  ['its command went with its agent, which an earlier version deleted', { commandId: 'c' }, 'cancelled'],
  ['somebody cancelled it', { commandState: 'cancelled' }, 'cancelled'],
  [
    'an outcome of its own counts, whatever the command says',
    { outcome: 'skipped', commandState: 'queued' },
    'skipped',
  ],
])('%s', (_rule, pressed, state) => expect(actionStateOf({ ...none, ...pressed })).toBe(state))

test('the words are those of the agent, or the reason why nothing was sent', () => {
  expect(actionOutcomeOf({ ...none, commandState: 'refused', commandMessage: 'busy' })).toEqual({
    state: 'refused',
    message: 'busy',
  })
  expect(actionOutcomeOf({ ...none, commandId: 'c' })).toEqual({
    state: 'cancelled',
    message: 'The agent was deleted.',
  })
  expect(actionOutcomeOf({ ...none, outcome: 'skipped', message: 'It does not offer that.' })).toEqual({
    state: 'skipped',
    message: 'It does not offer that.',
  })
})
