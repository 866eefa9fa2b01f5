/**
 * The shapes of our credentials (5): a prefix and characters of base64url. The service makes 43 of them, 256 random
 * bits. Readers do not count the characters, so that deployed runtimes keep working if the service makes longer ones.
 */
export const tokenPrefixes = { agent: 'svc_agt_', install: 'svc_inst_', bot: 'svc_bot_' } as const
export type TokenKind = keyof typeof tokenPrefixes

const random = '[A-Za-z0-9_-]+'
const shapes: Readonly<Record<TokenKind, RegExp>> = {
  agent: new RegExp(`^svc_agt_${random}$`),
  install: new RegExp(`^svc_inst_${random}$`),
  bot: new RegExp(`^svc_bot_${random}$`),
}

/** True if a text has the shape of a credential of this kind. The credential need not exist. */
export const isToken = (kind: TokenKind, text: string): boolean => shapes[kind].test(text)

/**
 * Matches anything shaped like one of our credentials, whole or cut short. None of that may leave the machine in a log
 * (D52).
 */
export const tokenLike = /svc_(?:agt|inst|bot)_[A-Za-z0-9_-]+/g

/** The token in the value of an `Authorization` header, `Bearer …`; undefined if it names none. */
export function bearerToken(header: string | undefined): string | undefined {
  const match = header === undefined ? null : /^bearer +([\x21-\x7e]+) *$/i.exec(header)
  return match?.[1]
}

/**
 * Masks a text before it leaves the machine (D52): the given secrets of 8 characters or more, and everything that looks
 * like one of our credentials.
 */
export function masked(text: string, secrets: Iterable<string>): string {
  const long = [...secrets].filter((secret) => secret.length >= 8).sort((a, b) => b.length - a.length)
  return long.reduce((rest, secret) => rest.replaceAll(secret, '***'), text).replace(tokenLike, '***')
}
