/**
 * Types and helpers for the kinds of channels. Each kind has a function that makes an HTTP request from a message and
 * escapes the text of agents by the rules of its service. It does not send the request, so that tests can read it.
 */
import { cut, isOwnMachineOnly, ownMachineWords, safeLine } from '@svc/protocol'
import type { SealKey } from '../../platform/seal.ts'

export interface ChannelRequest {
  method: 'POST' | 'PUT'
  url: string
  headers: Record<string, string>
  body: string | Buffer
}

/** The address of a channel's receiver. The table in kinds.ts says which fields each kind of channel needs. */
export interface ReceiverAddress {
  url?: string | undefined
  /** The id of a chat, room or user, or a mail address. */
  to?: string | undefined
  /** A token, or the secret that signs webhooks. */
  secret?: string | undefined
}

/** A message as a chat or a mail shows it. */
export interface MessageText {
  title: string
  lines: readonly string[]
  url: string
  /** The worst level of the alerts in this message that have not ended; null if there is none. */
  level: 'warn' | 'bad' | null
}

/** Returns the text. If only the service's own machine reaches the link, a line that says so is added. */
export const withReachNote = (text: MessageText): MessageText =>
  isOwnMachineOnly(text.url) ? { ...text, lines: [...text.lines, ownMachineWords] } : text

/** A message to one channel, for one try to send it. */
export interface Delivery {
  /** The id of the delivery, which is the same on every try. */
  id: string
  text: MessageText
  /** The body for a webhook. It is stored when it is first written, and the same on every try. */
  body: string
  /** The time of this try, in Unix milliseconds. */
  at: number
  /** The address of the page on which people change the settings of the channel. */
  settingsUrl?: string | undefined
}

/**
 * Makes the request for a delivery. `key` is the secret key of the service, from which a channel may derive other keys.
 */
export type MakeRequest = (
  address: ReceiverAddress,
  delivery: Delivery,
  key: SealKey,
) => ChannelRequest | Promise<ChannelRequest>

export const userAgentName = 'svc'

export const jsonCall = (url: string, body: unknown, headers: Record<string, string> = {}): ChannelRequest => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'application/json', 'user-agent': userAgentName, ...headers },
  body: JSON.stringify(body),
})

/**
 * A message as one text: title, lines and link. Line breaks within the title or a line become spaces, so that text from
 * an agent cannot start a new line.
 */
export const plainMessage = (
  { title, lines, url }: MessageText,
  max: number,
  escaped: (text: string) => string = (t) => t,
): string => {
  const link = `\n${url}`
  const text = [title, ...lines].map((line) => escaped(oneLine(line))).join('\n')
  return `${cut(text, max - link.length)}${link}`
}

/**
 * The lines of a message without its title, for services that show the title separately; the title if there are no
 * lines.
 */
export const factLines = ({ lines, title }: MessageText, max: number): string =>
  cut((lines.length > 0 ? lines : [title]).map(oneLine).join('\n'), max)

/** A text on one line, without characters that control the direction of text. */
export const oneLine = safeLine

/** Appends a path to an address; the address may end with a slash. */
export const addressBelow = (url: string, path: string): string => `${url.replace(/\/+$/, '')}/${path}`

/** Returns the value; throws if it is missing, although channels without it are refused when they are added. */
export function requireValue(value: string | undefined, what: string): string {
  if (value === undefined) throw new Error(`The channel has no ${what}.`)
  return value
}
