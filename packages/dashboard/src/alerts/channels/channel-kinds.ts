/** The kinds of channels that a workspace may have, and the fields of the form for each kind. */
import type { ChannelKind } from '@svc/api'
import {
  IconBell,
  IconBrandDiscord,
  IconBrandMatrix,
  IconBrandSlack,
  IconBrandTeams,
  IconBrandTelegram,
  IconDeviceLaptop,
  IconMail,
  IconWebhook,
} from '@tabler/icons-react'

/**
 * The kinds of channels that a workspace may have: all but `push`, since such a channel belongs to the browser of one
 * person.
 */
export type WorkspaceKind = Exclude<ChannelKind, 'push'>

interface ChannelField {
  label: string
  hint?: string
  optional?: true
}

interface KindLook {
  name: string
  url?: ChannelField
  to?: ChannelField
  /**
   * The form's field for the secret of a channel. The service encrypts a secret when it arrives and never shows it
   * again.
   */
  secret?: ChannelField
}

const token = (label = 'Token'): ChannelField => ({ label })
const server: ChannelField = { label: 'Server', hint: 'https://matrix.example.org' }
const ownServer: ChannelField = { label: 'Server', hint: 'Only for a server of your own.', optional: true }
const secretAddress = (hint: string): ChannelField => ({ label: 'Webhook URL', hint })

export const channelLooks: Readonly<Record<WorkspaceKind, KindLook>> = {
  webhook: {
    name: 'Webhook',
    url: { label: 'URL', hint: 'https://example.org/alerts' },
    secret: { label: 'Signing secret', hint: 'Leave it empty, and one is made for you.', optional: true },
  },
  email: { name: 'Email', to: { label: 'Email address', hint: 'ops@example.org' } },
  slack: { name: 'Slack', url: secretAddress('The address of an incoming webhook.') },
  discord: { name: 'Discord', url: secretAddress('Under Integrations of the Discord channel.') },
  teams: { name: 'Microsoft Teams', url: secretAddress('The address of a workflow that posts to a channel.') },
  telegram: {
    name: 'Telegram',
    to: { label: 'Chat', hint: 'The number of the chat, or @name of a public channel.' },
    secret: token('Bot token'),
    url: ownServer,
  },
  ntfy: {
    name: 'ntfy',
    url: { label: 'Address of the topic', hint: 'https://ntfy.sh/your-topic' },
    secret: { ...token('Access token'), hint: 'Only for a protected topic.', optional: true },
  },
  matrix: {
    name: 'Matrix',
    url: server,
    to: { label: 'Room', hint: '!room:example.org' },
    secret: token('Access token'),
  },
  pushover: { name: 'Pushover', to: { label: 'User key' }, secret: token('Application token'), url: ownServer },
  gotify: {
    name: 'Gotify',
    url: { ...server, hint: 'https://gotify.example.org' },
    secret: token('Application token'),
  },
  apprise: { name: 'Apprise', url: { label: 'Address', hint: 'https://apprise.example.org/notify/your-key' } },
}

const kindIcons: Partial<Readonly<Record<ChannelKind, typeof IconBell>>> = {
  webhook: IconWebhook,
  email: IconMail,
  slack: IconBrandSlack,
  discord: IconBrandDiscord,
  teams: IconBrandTeams,
  telegram: IconBrandTelegram,
  matrix: IconBrandMatrix,
  push: IconDeviceLaptop,
}

/** The icon of a kind of channel. Kinds without one have a bell. */
export const kindIcon = (kind: ChannelKind): typeof IconBell => kindIcons[kind] ?? IconBell

export const kindName = (kind: ChannelKind): string => (kind === 'push' ? 'Browser' : channelLooks[kind].name)
