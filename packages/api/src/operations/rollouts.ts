/** Operations on rollouts, which bring a version to many agents in waves. */
import type { NewRollout, RolloutPage, RolloutPreview, RolloutSeen, Rollouts } from '../answers/rollouts.ts'
import * as bounds from '../bounds.ts'
import {
  count,
  flag,
  list,
  number,
  object,
  oneOf,
  optional,
  pasted,
  pastedWord,
  query,
  type Reader,
  whole,
  wordOf,
} from '../input.ts'
import { change, reading } from '../operation.ts'
import { slugArgument } from './arguments.ts'

const maxAgents = 100_000
const maxEndedRollouts = 100
const maxWaves = 100
const maxBytes = 8 * 1024 * 1024
const wanted: Reader<NewRollout> = object({
  kind: oneOf(['blueprint', 'runtime']),
  blueprint: optional(pasted()),
  version: optional(pasted()),
  agents: optional(list(pasted(), maxAgents)),
  waves: optional(list(pasted({ max: 20 }), maxWaves)),
  byHand: optional(flag),
  end: optional(list(pasted({ max: 60 }), maxEndedRollouts)),
  watchSeconds: optional(number),
})
const states = ['running', 'waiting', 'paused', 'halted', 'done', 'cancelled'] as const
/** The rollout as the person saw it. If it has changed since then, the operation is refused. */
const expected = optional<RolloutSeen>(
  object({ state: oneOf(states), wave: whole(1, maxWaves + 1), changedAt: optional(number) }),
)
const idArgument = ['<id>', 'as svc-server rollout list names it'] as const
const byItself = { none: 'taking a rollout further tells the pages of what changed' }

export const rollouts = reading<Rollouts>()('GET /w/:slug/rollouts', {
  says: 'list the rollouts of a workspace, newest first',
  input: query({ before: pastedWord, limit: count(200, 50), state: wordOf(states, undefined) }),
  command: { name: 'rollout list', args: [slugArgument] },
})
export const startRollout = change<RolloutPage>()('POST /w/:slug/rollouts', {
  says: 'bring a version to the agents of a workspace in waves, which halt by themselves',
  input: wanted,
  maxBytes,
  makes: true,
  proof: true,
  audit: ['rollout.started', 'rollout.cancelled'],
  pages: byItself,
  again: 'refused',
  adds: bounds.rollouts,
  command: {
    name: 'rollout start',
    formerly: 'rollout begin',
    args: [slugArgument, ['<what>', 'BLUEPRINT@VERSION, or runtime: the version that is served']],
    options: [
      ['--agents <names>', 'only these: NAME,NAME… (default: all of the blueprint, or of the workspace)'],
      ['--waves <marks>', 'how many are reached after each wave (default: 1,10%,all)'],
      ['--watch <minutes>', 'how long a wave is watched before the next begins (default: 10)'],
      ['--by-hand', 'each wave begins with svc-server rollout continue'],
      ['--end <ids>', 'cancel these unfinished rollouts first, to reach their agents: ID,ID…'],
      ['--preview', 'only says who would be in which wave, and who is left out and why'],
    ],
  },
})
export const previewRollout = change<RolloutPreview>()('POST /w/:slug/rollouts/preview', {
  says: 'preview a rollout: the agents in each wave, and the agents left out with the reason',
  input: wanted,
  maxBytes,
  large: { whole: 'the page withdraws the wishes of all agents that it names; 10,000 have up to 3 MB' },
  audit: { none: 'it changes nothing; it is a POST since its body may be large' },
  pages: { none: 'it changes nothing' },
  again: 'same',
  adds: null,
})
export const showRollout = reading<RolloutPage>()('GET /w/:slug/rollouts/:id', {
  says: 'show a rollout with the state of each agent',
  command: { name: 'rollout show', args: [idArgument] },
})
export const pauseRollout = change<RolloutPage>()('POST /w/:slug/rollouts/:id/pause', {
  says: 'pause a rollout: no further agent is offered the version until it continues',
  audit: ['rollout.paused'],
  pages: byItself,
  again: 'refused',
  adds: null,
  command: { name: 'rollout pause', args: [idArgument] },
})
export const continueRollout = change<RolloutPage>()('POST /w/:slug/rollouts/:id/continue', {
  says: 'continue a rollout after a halt or a pause, or begin its next wave now',
  input: object({ expected }),
  mayBeEmpty: true,
  proof: true,
  audit: ['rollout.continued'],
  pages: byItself,
  again: 'new',
  adds: null,
  command: { name: 'rollout continue', args: [idArgument] },
})
export const rolloutNow = change<RolloutPage>()('POST /w/:slug/rollouts/:id/now', {
  says: 'start the version on agents of a rollout that watch another one, which ends their watches',
  input: object({ expected }),
  mayBeEmpty: true,
  proof: true,
  audit: ['rollout.hurried'],
  pages: ['report', 'agent', 'list'],
  again: 'refused',
  adds: null,
  command: { name: 'rollout now', args: [idArgument] },
})
export const cancelRollout = change<RolloutPage>()('POST /w/:slug/rollouts/:id/cancel', {
  says: 'cancel a rollout; agents that it reached keep their version',
  input: object({ withdraw: optional(flag), expected }),
  audit: ['rollout.cancelled'],
  pages: byItself,
  again: 'refused',
  adds: null,
  command: {
    name: 'rollout cancel',
    args: [idArgument],
    options: [['--withdraw', 'also withdraw the wish from agents that have not carried it out']],
  },
})
