/** Reads a new channel: checks what a person typed against the table of kinds in channels/kinds.ts. */
import { ECDH } from 'node:crypto'
import { type ChannelKind, channelKinds, type MessageFormat, messageFormats } from '@svc/api'
import { isObject, readPasted, shown, type Verdict } from '@svc/protocol'
import { done, refuse } from '../platform/verdict.ts'
import type { ReceiverAddress } from './channels/call.ts'
import { type ChannelTraits, channelTraits } from './channels/kinds.ts'
import type { PushKeys } from './channels/push.ts'
import { isSigningSecret, newSigningSecret } from './channels/webhook.ts'
import { readMailbox } from './recipient.ts'
import { noMailText } from './senders.ts'
import { type AllowedNetworks, readTarget } from './target.ts'

/** A new channel as a person typed it. */
export interface ChannelWanted {
  name: string
  kind: string
  url?: string | undefined
  to?: string | undefined
  secret?: string | undefined
  format?: string | undefined
}

/** A new channel whose fields were checked, as it is stored. */
export interface CheckedChannel {
  name: string
  kind: ChannelKind
  format: MessageFormat
  address: ReceiverAddress
  /** The part of the address that is not secret and may be shown. */
  shown: string
  /** The signing secret, if the service generated it. It is shown once. */
  made: string | undefined
}

const maxName = 63
const maxTo = 320
const maxSecret = 1000

interface ReadingRules {
  allowed: AllowedNetworks
  /** False if the service cannot send mails. */
  mails: boolean
  /**
   * The e-mail address of the person's account, if the new channel is a personal one for mails. It replaces the typed
   * recipient.
   */
  account?: string
}

export function readChannel(
  typed: ChannelWanted,
  { allowed, mails, account }: ReadingRules,
): Verdict<CheckedChannel, 'channel_invalid'> {
  const pasted = readParts(typed)
  if (!pasted.ok) return pasted
  const wanted = account === undefined ? pasted.value : { ...pasted.value, to: account }
  const { name, format = 'grouped' } = wanted
  const kind = channelKinds.find((one) => one === wanted.kind)
  const form = messageFormats.find((one) => one === format)
  if (!isName(name)) {
    return invalid(
      `A channel's name has lowercase letters, digits and single hyphens, at most ${maxName}: got ${shown(name)}.`,
    )
  }
  if (!kind) return invalid(`The kind must be one of ${channelKinds.join(', ')}: got ${shown(wanted.kind)}.`)
  if (kind === 'email' && !mails) return invalid(noMailText)
  if (!form) return invalid(`The format must be single or grouped: got ${shown(format)}.`)
  const wrong = wrongParts(kind, wanted) ?? wrongUrl(wanted.url, allowed) ?? wrongTo(kind, wanted.to)
  if (wrong !== undefined) return invalid(wrong)
  const read = kind === 'push' ? readSubscription(wanted.secret ?? '', allowed) : readAddress(kind, wanted)
  if (!read.ok) return read
  const { made, ...address } = read.value
  return done({ name, kind, format: form, address, shown: shownAddress(channelTraits[kind], address), made })
}

/** Reads the address of a channel. `made` is the signing secret if the service generated it. */
function readAddress(
  kind: ChannelKind,
  { url, to, secret }: ChannelWanted,
): Verdict<ReceiverAddress & { made?: string | undefined }, 'channel_invalid'> {
  const read = readSecret(kind, secret?.trim() || undefined)
  if (!read.ok) return read
  return done({ ...pick('url', url), ...pick('to', to), ...pick('secret', read.value.secret), made: read.value.made })
}

/** Reads the parts of a channel that people paste. A browser makes the secret of a push channel; it is not changed. */
function readParts(typed: ChannelWanted): Verdict<ChannelWanted, 'channel_invalid'> {
  const read = { ...typed }
  for (const [part, what, secret] of pastedParts) {
    const text = typed[part]
    if (text === undefined || (part === 'secret' && typed.kind === 'push')) continue
    const verdict = part === 'to' && typed.kind === 'email' ? readMailbox(text) : readPasted(what, text, { secret })
    if (!verdict.ok) return invalid(verdict.message)
    read[part] = verdict.value
  }
  return done(read)
}

const pastedParts = [
  ['name', "The channel's name", false],
  ['kind', 'The kind', false],
  ['format', 'The format', false],
  ['url', 'The address of the channel', true],
  ['to', 'The recipient', false],
  ['secret', 'The secret of the channel', true],
] as const

const invalid = (message: string) => refuse('channel_invalid', message)
const isName = (text: string): boolean => text.length <= maxName && /^[a-z0-9](-?[a-z0-9])*$/.test(text)
const pick = <K extends string>(key: K, value: string | undefined) => (value === undefined ? {} : { [key]: value })

/**
 * Returns a sentence if a field that the kind requires is missing, or a field is given that the kind does not use;
 * otherwise undefined.
 */
function wrongParts(kind: ChannelKind, { url, to, secret }: ChannelWanted): string | undefined {
  const needs = channelTraits[kind]
  const parts = [
    ['an address (--url)', needs.url, url],
    [`${needs.toIs ?? 'a recipient'} (--to)`, needs.to, to],
    ['a token on standard input', needs.secret, secret?.trim()],
  ] as const
  for (const [part, need, value] of parts) {
    if (need === 'needed' && !value) return `A channel of the kind ${kind} needs ${part}.`
    if (need === 'never' && value) return `A channel of the kind ${kind} takes no ${part.replace(/^an? /, '')}.`
  }
  return undefined
}

function wrongUrl(url: string | undefined, allowed: AllowedNetworks): string | undefined {
  if (url === undefined) return undefined
  const verdict = readTarget(url, allowed)
  return verdict.ok ? undefined : verdict.message
}

function wrongTo(kind: ChannelKind, to: string | undefined): string | undefined {
  if (to === undefined || kind === 'email') return undefined
  const isOneWord = to.length <= maxTo && /^[\x21-\x7e]+$/.test(to)
  return isOneWord ? undefined : `The recipient must be one word of at most ${maxTo} characters: got ${shown(to)}.`
}

function readSecret(
  kind: ChannelKind,
  given: string | undefined,
): Verdict<{ secret: string | undefined; made: string | undefined }, 'channel_invalid'> {
  if (channelTraits[kind].secret !== 'made') {
    // A token is sent in a header or as part of an address, and neither may contain spaces or control characters.
    const isToken = given === undefined || (given.length <= maxSecret && /^[\x21-\x7e]+$/.test(given))
    return isToken
      ? done({ secret: given, made: undefined })
      : invalid(`A token is one word of at most ${maxSecret} characters.`)
  }
  if (given === undefined) {
    const made = newSigningSecret()
    return done({ secret: made, made })
  }
  if (isSigningSecret(given)) return done({ secret: given, made: undefined })
  return invalid('A signing secret is whsec_ and the base64 of 24 to 64 bytes. Leave it out, and one is made.')
}

/**
 * The address as it may be shown: only the origin if the address is secret, otherwise everything except the query,
 * which may contain a token.
 */
export function shownAddress(
  { urlIsSecret }: Pick<ChannelTraits, 'urlIsSecret'>,
  { url, to }: ReceiverAddress,
): string {
  const target = url === undefined ? undefined : URL.parse(url)
  const open = target && `${target.origin}${target.pathname}${target.search && '?…'}`
  const where = urlIsSecret ? target && `${target.origin}/…` : open
  return [where, to].filter(Boolean).join(' ')
}

const publicKeyBytes = 65
const authBytes = 16

/**
 * Reads the subscription of a browser, in the form of `PushSubscription.toJSON()`, as the address of a channel. Its
 * keys, with which messages are encrypted, become the channel's secret.
 */
export function readSubscription(
  text: string,
  allowed: AllowedNetworks,
): Verdict<ReceiverAddress & { made?: undefined }, 'channel_invalid'> {
  const { endpoint, keys } = parsed(text)
  const invalid = (message: string) => refuse('channel_invalid', message)
  if (typeof endpoint !== 'string' || !isObject(keys))
    return invalid("A push channel takes a browser's subscription: JSON with endpoint, keys.p256dh and keys.auth.")
  if (!/^https:\/\//i.test(endpoint)) return invalid('The endpoint of a subscription must begin with https://.')
  const target = readTarget(endpoint, allowed)
  if (!target.ok) return invalid(target.message)
  const { p256dh, auth } = keys
  if (!isPublicKey(p256dh)) return invalid('keys.p256dh must be a public key of the curve P-256, base64url.')
  if (!hasBytes(auth, authBytes)) return invalid(`keys.auth must be ${authBytes} bytes, base64url.`)
  return done({ url: endpoint, secret: JSON.stringify({ p256dh, auth } satisfies PushKeys) })
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

const hasBytes = (value: unknown, bytes: number): value is string =>
  typeof value === 'string' && /^[\w-]+$/.test(value) && Buffer.from(value, 'base64url').length === bytes

/** True for a public key that is a point on the curve. With any other value no message could be encrypted. */
function isPublicKey(value: unknown): value is string {
  if (!hasBytes(value, publicKeyBytes)) return false
  try {
    ECDH.convertKey(Buffer.from(value, 'base64url'), 'prime256v1')
    return true
  } catch {
    return false
  }
}
