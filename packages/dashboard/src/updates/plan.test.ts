import { expect, test } from 'vitest'
import { rolledBackText } from './plan.ts'

const agent = (
  running: string,
  wished: string | null,
  wishState: Parameters<typeof rolledBackText>[0][0]['wishState'],
) => ({
  running,
  wished,
  wishState,
})
const back = agent('1.5.0', '1.6.0', 'rolled_back')
const held = agent('1.5.0', '1.6.0', 'held')
const kept = agent('1.6.0', null, 'none')

test.each([
  ['2 of 2', [back, held], '1.6.0 was rolled back on 2 of 2 agents that tried it.'],
  ['1 of 3', [kept, back, agent('1.6.0', '1.6.0', 'kept')], '1.6.0 was rolled back on 1 of 3 agents that tried it.'],
  ['1 of 1', [back, agent('1.5.0', '1.6.0', 'waiting')], '1.6.0 was rolled back on 1 of 1 agent that tried it.'],
  ['no agent', [kept, agent('1.5.0', '1.6.0', 'failed'), agent('1.5.0', '1.7.0', 'rolled_back')], null],
])('a version that was rolled back on %s is warned of', (_, agents, says) => {
  expect(rolledBackText(agents, '1.6.0')).toBe(says)
})
