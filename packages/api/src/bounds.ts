/**
 * Lists for each operation that changes something which rows it adds, and what limits their number. A test fails until
 * a new operation has a line here; docs/operate.md shows the lines.
 */
import type { Operations } from './operations/all.ts'

/** The rows that an operation adds, and what limits their number. */
interface Bound {
  adds: string
  limit: string
}

/** The operation changes or deletes rows, or adds only lines of the activity. */
const nothing = null

const mutes: Bound = {
  adds: 'mutes',
  limit: '200 of a workspace that have not ended; with those that ended the newest 1,000, for 400 days',
}
const channels: Bound = { adds: 'channels', limit: '50 of a workspace' }
const ownChannels: Bound = { adds: 'personal channels and browsers', limit: '20 of a person in a workspace' }
const tests: Bound = {
  adds: 'tests of channels',
  limit: '3 of a channel and 10 of a person in a minute; with messages the newest 1,000 of a channel, for 30 days',
}
const commands: Bound = {
  adds: 'commands, requested logs among them',
  limit:
    '100 of an agent in progress; of those that ended the newest 1,000, and those of the last day; the newest 1,000 logs, for 30 days',
}
const agents: Bound = { adds: 'agents', limit: '10,000 of a workspace, unless the operator sets another limit' }
const oldNames: Bound = { adds: 'old names of agents', limit: 'the last 20 of an agent; kept for 90 days' }
const codes: Bound = {
  adds: 'install codes',
  limit:
    '200 of a workspace that are valid, each for 15 minutes; with those that are over the newest 1,000, for 30 days',
}
const rollouts: Bound = {
  adds: 'rollouts',
  limit: 'an agent is in at most one that is not over; the newest 1,000 of a workspace, for 400 days',
}
const people: Bound = {
  adds: 'members and open invitations',
  limit:
    '200 of a workspace together, unless the operator sets another limit; 50 invitations by mail in a day, 3 to an address',
}
const accounts: Bound = { adds: 'accounts', limit: 'one for each invitation or link that was accepted' }
const workspaces: Bound = { adds: 'workspaces', limit: '20 of which a person is an admin' }
const bundles: Bound = {
  adds: 'versions of blueprints',
  limit: '1.0 GB of a workspace, unless the operator sets another limit',
}
const onboarding: Bound = { adds: 'choices about the first steps', limit: 'one of a person' }
const sessions: Bound = {
  adds: 'sessions',
  limit: '100 of a person: a further sign-in ends the one that was unused longest; ends after 14 days without use',
}
const forgotten: Bound = {
  adds: 'requests for a new password',
  limit: '10 of a network address and 3 of an account in an hour',
}
const factor: Bound = { adds: 'authenticator apps', limit: 'one of a person' }
const recovery: Bound = { adds: 'recovery codes', limit: '10 of a person' }
const proofs: Bound = { adds: 'proofs', limit: 'one of a session' }
const rules: Bound = { adds: 'changed rules', limit: 'one for each rule, with at most 20 statuses and 100 channels' }
const settings: Bound = { adds: 'settings of alerts', limit: 'one row of a workspace' }
const wishes: Bound = { adds: 'requested updates', limit: 'one of each kind for an agent' }

const tags: Bound = { adds: 'tags', limit: '20 of an agent' }
const actions: Bound = { adds: 'actions', limit: '10,000 agents each; the newest 1,000 of a workspace, for 30 days' }
const views: Bound = { adds: 'views', limit: '100 of a person in a workspace, and 100 of the workspace' }

export const bounds = {
  'PUT /w/:slug/agents/:name/wishes/blueprint': wishes,
  'DELETE /w/:slug/agents/:name/wishes/blueprint': nothing,
  'POST /w/:slug/agents/:name/wishes/runtime': wishes,
  'DELETE /w/:slug/agents/:name/wishes/runtime': nothing,
  'DELETE /w/:slug/agents/:name/holds/runtime': nothing,
  'POST /w/:slug/wishes': wishes,
  'PATCH /me': onboarding,
  'DELETE /sessions/:id': nothing,
  'DELETE /sessions': nothing,
  'POST /password': nothing,
  'POST /factors/totp': factor,
  'POST /factors/totp/confirm': recovery,
  'POST /factors/recovery': recovery,
  'DELETE /factors/totp': nothing,
  'POST /proof': proofs,
  'POST /second-factor': sessions,
  'POST /start': accounts,
  'POST /link': sessions,
  'POST /forgot': forgotten,
  'POST /claim': sessions,
  'POST /workspaces': workspaces,
  'PATCH /w/:slug': nothing,
  'DELETE /w/:slug': nothing,
  'PATCH /w/:slug/members/:id': nothing,
  'DELETE /w/:slug/members/:id': nothing,
  'POST /w/:slug/invitations': people,
  'DELETE /w/:slug/invitations/:id': nothing,
  'POST /w/:slug/invitations/:id/link': nothing,
  'POST /invitations/:id': accounts,
  'PATCH /w/:slug/alert-settings': settings,
  'PUT /w/:slug/agents/:name/hours': nothing,
  'POST /w/:slug/rollouts': rollouts,
  'POST /w/:slug/rollouts/preview': nothing,
  'POST /w/:slug/rollouts/:id/pause': nothing,
  'POST /w/:slug/rollouts/:id/continue': nothing,
  'POST /w/:slug/rollouts/:id/cancel': nothing,
  'POST /w/:slug/alerts/:id/acknowledge': nothing,
  'POST /w/:slug/alerts/acknowledge': nothing,
  'POST /w/:slug/mutes': mutes,
  'DELETE /w/:slug/mutes/:id': nothing,
  'PATCH /w/:slug/rules': rules,
  'POST /w/:slug/channels': channels,
  'POST /w/:slug/channels/:channel/test': tests,
  'POST /w/:slug/channels/:channel/enable': nothing,
  'POST /w/:slug/channels/:channel/disable': nothing,
  'DELETE /w/:slug/channels/:channel': nothing,
  'POST /w/:slug/deliveries/:id/retry': nothing,
  'POST /w/:slug/blueprints': bundles,
  'DELETE /w/:slug/blueprints/:blueprint/versions/:version': nothing,
  'POST /w/:slug/codes': codes,
  'DELETE /w/:slug/codes/:id': nothing,
  'POST /w/:slug/bots/:id/revoke': nothing,
  'POST /w/:slug/bots/:id/tokens/:token/revoke': nothing,
  'DELETE /w/:slug/bots/:id': nothing,
  'POST /w/:slug/agents/:name/commands': commands,
  'POST /w/:slug/agents/:name/commands/:id/again': commands,
  'POST /w/:slug/commands': actions,
  'POST /w/:slug/actions': actions,
  'POST /w/:slug/actions/preview': nothing,
  'POST /w/:slug/actions/offers': nothing,
  'POST /w/:slug/actions/:id/retry': actions,
  'POST /w/:slug/actions/:id/cancel': nothing,
  'POST /w/:slug/agents': agents,
  'PATCH /w/:slug/agents/:name': oldNames,
  'DELETE /w/:slug/agents/:name': nothing,
  'POST /w/:slug/agents/:name/token': nothing,
  'PUT /w/:slug/views': views,
  'DELETE /w/:slug/views/:id': nothing,
  'POST /w/:slug/tags': tags,
  'POST /w/:slug/tags/preview': nothing,
  'POST /w/:slug/my-channels': ownChannels,
  'PATCH /w/:slug/my-channels/:channel': nothing,
  'POST /w/:slug/my-channels/:channel/test': tests,
  'DELETE /w/:slug/my-channels/:channel': nothing,
} as const satisfies Partial<Record<keyof Operations, Bound | null>>

/** The limit of the activity. It is listed only once, because every operation adds lines to the activity. */
export const activityBound: Bound = {
  adds: 'lines of the activity',
  limit:
    '11,000 of a person, and 101,000 about what needs a proof, 10,000 in a day; beyond that the oldest of the most frequent kinds are summed up',
}
