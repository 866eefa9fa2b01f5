/** The rows that operations add, and what limits their number. docs/operate.md shows them. */
import { maxTags } from './filter/tags.ts'

/** Rows that an operation adds, and what limits their number. */
export interface RowLimit {
  adds: string
  limit: string
}

export const mutes: RowLimit = {
  adds: 'mutes',
  limit: '200 of a workspace that have not ended; with those that ended the newest 1,000, for 400 days',
}
export const channels: RowLimit = { adds: 'channels', limit: '50 of a workspace' }
export const ownChannels: RowLimit = { adds: 'personal channels and browsers', limit: '20 of a person in a workspace' }
export const tests: RowLimit = {
  adds: 'tests of channels',
  limit: '3 of a channel and 10 of a person in a minute; with messages the newest 1,000 of a channel, for 30 days',
}
export const commands: RowLimit = {
  adds: 'commands, requested logs among them',
  limit:
    '100 of an agent in progress; of those that ended the newest 1,000, and those of the last day; the newest 1,000 logs, for 30 days',
}
export const agents: RowLimit = {
  adds: 'agents',
  limit: '10,000 of a workspace, unless the operator sets another limit',
}
export const oldNames: RowLimit = { adds: 'old names of agents', limit: 'the last 20 of an agent; kept for 90 days' }
export const codes: RowLimit = {
  adds: 'install codes',
  limit:
    '200 of a workspace that are valid, each for 15 minutes; with those that are over the newest 1,000, for 30 days',
}
export const rollouts: RowLimit = {
  adds: 'rollouts',
  limit: 'an agent is in at most one that is not over; the newest 1,000 of a workspace, for 400 days',
}
export const people: RowLimit = {
  adds: 'members and open invitations',
  limit:
    '200 of a workspace together, unless the operator sets another limit; 50 invitations by mail in a day, 3 to an address',
}
export const accounts: RowLimit = {
  adds: 'accounts',
  limit:
    'one for each invitation or link that was accepted, and for each person at the sign-in provider; if it may make accounts for every domain, 20 of a network address in an hour and 500 of the provider in a day, without those of people who are invited',
}
export const workspaces: RowLimit = { adds: 'workspaces', limit: '20 of which a person is an admin' }
export const bundles: RowLimit = {
  adds: 'versions of blueprints',
  limit: '1.0 GB of a workspace, unless the operator sets another limit',
}
export const onboarding: RowLimit = { adds: 'choices about the first steps', limit: 'one of a person' }
export const sessions: RowLimit = {
  adds: 'sessions',
  limit: '100 of a person: a further sign-in ends the one that was unused longest; ends after 14 days without use',
}
export const passwordRequests: RowLimit = {
  adds: 'requests for a new password',
  limit: '10 of a network address and 3 of an account in an hour',
}
export const factor: RowLimit = { adds: 'authenticator apps', limit: 'one of a person' }
export const recovery: RowLimit = { adds: 'recovery codes', limit: '10 of a person' }
export const passkeys: RowLimit = { adds: 'passkeys', limit: '20 of a person' }
export const connection: RowLimit = { adds: 'connections with the sign-in provider', limit: 'one of a person' }
export const proofs: RowLimit = { adds: 'proofs', limit: 'one of a session' }
export const rules: RowLimit = {
  adds: 'changed rules',
  limit: 'one for each rule, with at most 20 statuses and 100 channels',
}
export const settings: RowLimit = { adds: 'settings of alerts', limit: 'one row of a workspace' }
export const wishes: RowLimit = { adds: 'requested updates', limit: 'one of each kind for an agent' }

export const tags: RowLimit = { adds: 'tags', limit: `${maxTags} of an agent` }
export const actions: RowLimit = {
  adds: 'actions',
  limit: '10,000 agents each; the newest 1,000 of a workspace, for 30 days',
}
export const views: RowLimit = { adds: 'views', limit: '100 of a person in a workspace, and 100 of the workspace' }

/** The limit of the activity, to which most operations that change something add lines. */
export const activityBound: RowLimit = {
  adds: 'lines of the activity',
  limit:
    '11,000 of a person, and 101,000 about what needs a proof, 10,000 of a kind in a day; beyond that the oldest of the most frequent kinds are summed up',
}
