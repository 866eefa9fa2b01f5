/**
 * The shapes of the credentials that the service issues (5): a prefix, then characters of base64url. The service makes
 * 43 of these characters, which hold 256 random bits. Readers accept any number of them, so that installed runtimes
 * still work if the service makes longer credentials.
 */
export const tokenPrefixes = { agent: 'svc_agt_', install: 'svc_inst_', bot: 'svc_bot_' } as const
export type TokenKind = keyof typeof tokenPrefixes

const randomPattern = '[A-Za-z0-9_-]+'
const shapes: Readonly<Record<TokenKind, RegExp>> = {
  agent: new RegExp(`^svc_agt_${randomPattern}$`),
  install: new RegExp(`^svc_inst_${randomPattern}$`),
  bot: new RegExp(`^svc_bot_${randomPattern}$`),
}

/** True if a text has the shape of a credential of this kind. A credential of this shape need not exist. */
export const isToken = (kind: TokenKind, text: string): boolean => shapes[kind].test(text)

/**
 * Matches every text with the shape of a credential, whole or cut short. Such a text must never leave the machine in a
 * log (D52).
 */
export const tokenLike = /svc_(?:agt|inst|bot)_[A-Za-z0-9_-]+/g

/**
 * Returns the token in the value of an `Authorization` header, `Bearer …`; undefined if the header contains no such
 * token.
 */
export function bearerToken(header: string | undefined): string | undefined {
  const match = header === undefined ? null : /^bearer +([\x21-\x7e]+) *$/i.exec(header)
  return match?.[1]
}

/**
 * Masks a text before it leaves the machine (D52). Masked are the given secrets of 8 characters or more, and everything
 * with the shape of a credential of the service.
 */
export function maskSecrets(text: string, secrets: Iterable<string>): string {
  const long = [...secrets].filter((secret) => secret.length >= 8).sort((a, b) => b.length - a.length)
  return long.reduce((rest, secret) => rest.replaceAll(secret, '***'), text).replace(tokenLike, '***')
}
