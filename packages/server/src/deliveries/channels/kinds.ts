/** The kinds of channels as a table: what each needs, what of it is secret, and the function that writes its request. */
import type { ChannelKind } from '@svc/api'
import { apprise } from './apprise.ts'
import type { Channel } from './call.ts'
import { discord } from './discord.ts'
import { gotify } from './gotify.ts'
import { matrix } from './matrix.ts'
import { ntfy } from './ntfy.ts'
import { pushover } from './pushover.ts'
import { slack } from './slack.ts'
import { teams } from './teams.ts'
import { telegram } from './telegram.ts'
import { webhook } from './webhook.ts'

/** `needed`: it cannot do without; `may`: it can; `never`: it is refused. */
type Need = 'needed' | 'may' | 'never'

export interface ChannelTraits {
  url: Need
  to: Need
  /** `made`: the service makes it where none is given. */
  secret: Need | 'made'
  /** Everybody who knows the address can write to the channel, so it is never shown whole. */
  urlIsSecret: boolean
  /** How `to` is called, such as "the chat". */
  toIs?: string
  /** Undefined: it is not sent by HTTP from here. */
  channel?: Channel
}

const hook = (channel: Channel): ChannelTraits => ({
  url: 'needed',
  to: 'never',
  secret: 'never',
  urlIsSecret: true,
  channel,
})

export const kinds: Readonly<Record<ChannelKind, ChannelTraits>> = {
  webhook: { url: 'needed', to: 'never', secret: 'made', urlIsSecret: false, channel: webhook },
  email: { url: 'never', to: 'needed', secret: 'never', urlIsSecret: false, toIs: 'an email address' },
  slack: hook(slack),
  discord: hook(discord),
  teams: hook(teams),
  apprise: hook(apprise),
  ntfy: { url: 'needed', to: 'never', secret: 'may', urlIsSecret: false, channel: ntfy },
  telegram: { url: 'may', to: 'needed', secret: 'needed', urlIsSecret: false, toIs: 'a chat', channel: telegram },
  matrix: { url: 'needed', to: 'needed', secret: 'needed', urlIsSecret: false, toIs: 'a room', channel: matrix },
  pushover: { url: 'may', to: 'needed', secret: 'needed', urlIsSecret: false, toIs: 'a user', channel: pushover },
  gotify: { url: 'needed', to: 'never', secret: 'needed', urlIsSecret: false, channel: gotify },
  push: { url: 'never', to: 'never', secret: 'needed', urlIsSecret: true },
}
