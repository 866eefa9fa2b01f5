/**
 * A channel is a function from a message to one HTTP request. It sends nothing itself, so what each service is given can be
 * read and tested as it is. Texts of agents are escaped here, each service by its own rules.
 */
import { cut } from '@svc/protocol'

export interface Call {
  method: 'POST' | 'PUT'
  url: string
  headers: Record<string, string>
  body: string
}

/** The receiver of a channel. The table in kinds.ts says which fields a kind needs. */
export interface Address {
  url?: string | undefined
  /** A chat, a room, a user or a mailbox. */
  to?: string | undefined
  /** A token, or the secret that signs. */
  secret?: string | undefined
}

/** A message as a chat or a mail shows it. */
export interface Text {
  title: string
  lines: readonly string[]
  url: string
  /** The worst level of what is open; null: everything ended. */
  level: 'warn' | 'bad' | null
}

export interface Delivery {
  /** The same on every try. */
  id: string
  text: Text
  /** The body of a webhook, kept as it was first written. */
  body: string
  /** Unix milliseconds of this try. */
  at: number
}

export type Channel = (address: Address, delivery: Delivery) => Call

export const agentName = 'svc'

export const json = (url: string, body: unknown, headers: Record<string, string> = {}): Call => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'application/json', 'user-agent': agentName, ...headers },
  body: JSON.stringify(body),
})

/** The lines of a text in one: title, facts, link. A line break in a text of an agent begins no line of its own. */
export const plain = (
  { title, lines, url }: Text,
  max: number,
  escaped: (text: string) => string = (t) => t,
): string => {
  const link = `\n${url}`
  const text = [title, ...lines].map((line) => escaped(oneLine(line))).join('\n')
  return `${cut(text, max - link.length)}${link}`
}

/** The lines without the title, for services that show it by themselves. */
export const facts = ({ lines, title }: Text, max: number): string =>
  cut((lines.length > 0 ? lines : [title]).map(oneLine).join('\n'), max)

export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** An address with a path behind it, whether or not it ends with a slash. */
export const below = (url: string, path: string): string => `${url.replace(/\/+$/, '')}/${path}`

/** Something that the check of a channel's address should have refused. */
export function needed(value: string | undefined, what: string): string {
  if (value === undefined) throw new Error(`The channel has no ${what}.`)
  return value
}
