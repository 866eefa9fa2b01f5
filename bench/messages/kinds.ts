/**
 * The kinds of first messages. Their receivers share no workspace and no mail domain with the receivers that hang. Only
 * the test of a channel is sent in a workspace in which 40 channels hang, since a person waits for its result.
 */
import { enqueueTest } from '../../packages/server/src/deliveries/store.ts'
import { addPerson } from '../../packages/server/testing/test-workspace.ts'
import type { Caller } from './calls.ts'
import { addChannel, addMessage, addOwnWorkspace, type MeasuredChannel, type Scene } from './seed.ts'

export const messageKinds = [
  'forgotten password',
  'invitation of another workspace',
  'alert by mail',
  'alert to a webhook',
  'alert to a browser (push)',
  'test of a channel beside 40 that hang',
] as const
export type MessageKind = (typeof messageKinds)[number]

/** The request that queues a kind of message, and the name by which its receiver knows message number `round`. */
interface QueuedKind {
  name: (round: number) => string
  /** Queues the message by a request. Undefined if `storeFirstMessages` stores it with the time at which it is due. */
  ask?: (call: Caller, round: number) => Promise<void>
}

/** The number of rounds that share a workspace. */
const roundsOfWorkspace = 5
const slugOf = (round: number) => `first-${Math.floor(round / roundsOfWorkspace)}`

const alertTo: Readonly<Record<MeasuredChannel, QueuedKind>> = {
  email: { name: (round) => `ops@mail-${round}.test` },
  webhook: { name: (round) => `webhook-${round}` },
  push: { name: (round) => `push-${round}` },
}
export const queuedKinds: Readonly<Record<MessageKind, QueuedKind>> = {
  'forgotten password': {
    name: (round) => `ann@forgot-${round}.test`,
    ask: (call, round) => call('forgot', { email: queuedKinds['forgotten password'].name(round) }),
  },
  'invitation of another workspace': {
    name: (round) => `bob@invited-${round}.test`,
    ask: (call, round) => invite(call, slugOf(round), queuedKinds['invitation of another workspace'].name(round)),
  },
  'alert by mail': alertTo.email,
  'alert to a webhook': alertTo.webhook,
  'alert to a browser (push)': alertTo.push,
  'test of a channel beside 40 that hang': { name: (round) => `test-${round}` },
}

export const invite = (call: Caller, slug: string, email: string): Promise<void> =>
  call(`w/${slug}/invitations`, { email, role: 'member', mail: true })

/**
 * Stores the receivers of all messages, and the messages that no request queues: round n is due n seconds after the
 * start. `full` is the workspace whose channels hang.
 */
export async function storeFirstMessages(
  scene: Scene,
  { full, rounds, start }: { full: string; rounds: number; start: number },
): Promise<void> {
  const { store, receivers } = scene
  let workspace = { id: '' }
  for (let round = 0; round < rounds; round++) {
    const at = start + round * 1000
    if (round % roundsOfWorkspace === 0) workspace = await addOwnWorkspace(scene, slugOf(round))
    await addPerson(store, 'Ann', workspace.id, 'member', at, queuedKinds['forgotten password'].name(round))
    for (const [kind, { name }] of Object.entries(alertTo) as [MeasuredChannel, QueuedKind][]) {
      const to = kind === 'email' ? name(round) : receivers.good(name(round))
      await addChannel(scene, name(round), { kind, workspace: workspace.id, to })
      await addMessage(scene, name(round), `alert ${name(round)}`, at)
    }
    const tested = queuedKinds['test of a channel beside 40 that hang'].name(round)
    await addChannel(scene, tested, { kind: 'webhook', workspace: full, to: receivers.good(tested) })
    await enqueueTest(store.db, { channelId: tested, workspace: 'full' }, at)
  }
}
