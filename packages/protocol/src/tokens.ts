/**
 * The shapes of our credentials (5): a prefix and characters of base64url. The service makes 43 of them, 256 random bits, and
 * may make more one day: a reader does not count them, so that runtimes in the field go on working.
 */
export const tokenPrefixes = { agent: 'svc_agt_', install: 'svc_inst_', bot: 'svc_bot_' } as const
export type TokenKind = keyof typeof tokenPrefixes

const random = '[A-Za-z0-9_-]+'
const shapes: Readonly<Record<TokenKind, RegExp>> = {
  agent: new RegExp(`^svc_agt_${random}$`),
  install: new RegExp(`^svc_inst_${random}$`),
  bot: new RegExp(`^svc_bot_${random}$`),
}

/** Whether a text has the shape of a credential of this kind; says nothing about whether it is one. */
export const isToken = (kind: TokenKind, text: string): boolean => shapes[kind].test(text)

/** D52: what must never leave in a log: anything shaped like one of ours, whole or cut short. */
export const tokenLike = /svc_(?:agt|inst|bot)_[A-Za-z0-9_-]+/g

/** The token of an `Authorization: Bearer …` header; undefined when the header names no such token. */
export function bearerToken(header: string | undefined): string | undefined {
  const match = header === undefined ? null : /^bearer +([\x21-\x7e]+) *$/i.exec(header)
  return match?.[1]
}

/** D52: a text as it may leave: the given secrets of 8 characters or more, and whatever looks like a token of ours, masked. */
export function masked(text: string, secrets: Iterable<string>): string {
  const long = [...secrets].filter((secret) => secret.length >= 8).sort((a, b) => b.length - a.length)
  return long.reduce((rest, secret) => rest.replaceAll(secret, '***'), text).replace(tokenLike, '***')
}
