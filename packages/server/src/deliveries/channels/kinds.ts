/**
 * The kinds of channels as a table: for each kind, which fields it needs, whether its address is secret, and the
 * function that makes its request.
 */
import type { ChannelKind } from '@svc/api'
import { apprise } from './apprise.ts'
import type { MakeRequest } from './call.ts'
import { discord } from './discord.ts'
import { gotify } from './gotify.ts'
import { matrix } from './matrix.ts'
import { ntfy } from './ntfy.ts'
import { push } from './push.ts'
import { pushover } from './pushover.ts'
import { slack } from './slack.ts'
import { teams } from './teams.ts'
import { telegram } from './telegram.ts'
import { webhook } from './webhook.ts'

/** `needed` means that a field is required, `may` that it is optional, and `never` that it is refused. */
type Need = 'needed' | 'may' | 'never'

/** The fields of one kind of channel, and how its messages are sent. */
export interface ChannelTraits {
  url: Need
  to: Need
  /** `made` means that the service generates the secret if none is given. */
  secret: Need | 'made'
  /** True if the address contains a secret. Such an address is never shown completely. */
  urlIsSecret: boolean
  /** The words for the field `to` in refusals, such as "a chat". */
  toIs?: string
  /** Builds the HTTP request for a message. Undefined for mail, which is not sent by HTTP. */
  channel?: MakeRequest
  /** True if an answer with status 404 means that the receiver no longer exists, as status 410 does for all kinds. */
  goneAt404?: true
}

const hook = (channel: MakeRequest): ChannelTraits => ({
  url: 'needed',
  to: 'never',
  secret: 'never',
  urlIsSecret: true,
  channel,
})

export const channelTraits: Readonly<Record<ChannelKind, ChannelTraits>> = {
  webhook: { url: 'needed', to: 'never', secret: 'made', urlIsSecret: false, channel: webhook },
  email: { url: 'never', to: 'needed', secret: 'never', urlIsSecret: false, toIs: 'an email address' },
  slack: hook(slack),
  discord: hook(discord),
  teams: hook(teams),
  apprise: hook(apprise),
  ntfy: { url: 'needed', to: 'never', secret: 'may', urlIsSecret: true, channel: ntfy },
  telegram: { url: 'may', to: 'needed', secret: 'needed', urlIsSecret: false, toIs: 'a chat', channel: telegram },
  matrix: { url: 'needed', to: 'needed', secret: 'needed', urlIsSecret: false, toIs: 'a room', channel: matrix },
  pushover: { url: 'may', to: 'needed', secret: 'needed', urlIsSecret: false, toIs: 'a user', channel: pushover },
  gotify: { url: 'needed', to: 'never', secret: 'needed', urlIsSecret: false, channel: gotify },
  push: { url: 'never', to: 'never', secret: 'needed', urlIsSecret: true, channel: push, goneAt404: true },
}
