/** Operations on the channels that belong to a person. Each person sees and changes only their own channels. */
import {
  channelPaces,
  type FollowedTest,
  type PersonalChannelRow,
  personalKinds,
  type QueuedTest,
} from '../answers/alerts.ts'
import * as bounds from '../bounds.ts'
import { flag, list, number, object, oneOf, optional, orNull, pasted, text } from '../input.ts'
import { change, reading } from '../operation.ts'
import { ruleNames } from '../words/rules.ts'
import { maxNameLength } from './typed.ts'

const right = 'member'
const pages = ['alerts'] as const
const secretMax = 4000
const zone = pasted({ max: 100 })
const time = pasted({ max: 5 })
const quiet = object({ days: list(number, 7), from: time, to: time })

export const personalChannels = reading<PersonalChannelRow[]>()('GET /w/:slug/my-channels', {
  says: 'list your own channels in a workspace',
})
export const addPersonalChannel = change<PersonalChannelRow>()('POST /w/:slug/my-channels', {
  right,
  says: 'have the alerts of a workspace sent to your own email address or to a browser',
  input: object({ name: text(maxNameLength), kind: oneOf(personalKinds), zone, secret: optional(text(secretMax)) }),
  makes: true,
  audit: ['channel.added'],
  pages,
  again: 'refused',
  adds: bounds.ownChannels,
})
export const setPersonalChannel = change<PersonalChannelRow>()('PATCH /w/:slug/my-channels/:channel', {
  right,
  says: 'choose which alerts one of your own channels gets, and when; what is not named stays as it is',
  input: object({
    enabled: optional(flag),
    rules: optional(orNull(list(oneOf(ruleNames), ruleNames.length))),
    pace: optional(oneOf(channelPaces)),
    quiet: optional(orNull(quiet)),
    badPasses: optional(flag),
    zone: optional(zone),
  }),
  audit: ['channel.changed'],
  pages,
  again: 'same',
  adds: null,
})
export const testPersonalChannel = change<QueuedTest>()('POST /w/:slug/my-channels/:channel/test', {
  right,
  says: 'send a test to one of your own channels; the answer is read by the id of the delivery',
  audit: { none: 'it changes nothing' },
  pages,
  again: 'new',
  adds: bounds.tests,
})
export const personalChannelTest = reading<FollowedTest>()('GET /w/:slug/my-channels/:channel/tests/:id', {
  right,
  says: 'show the state of a test of one of your own channels and what the receiver answered',
})
export const removePersonalChannel = change<{ ok: true }>()('DELETE /w/:slug/my-channels/:channel', {
  right,
  says: 'remove one of your own channels with its deliveries',
  audit: ['channel.removed'],
  pages,
  again: 'refused',
  adds: null,
})
