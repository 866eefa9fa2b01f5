/**
 * The challenge that a passkey signs. It is in no row until it is used: the browser keeps it in a sealed cookie for
 * five minutes, so asking for one costs the service nothing, and an answer of another browser is not good.
 */
import { randomBytes } from 'node:crypto'
import { isAhead } from '@svc/protocol'
import { secretOf } from '../../platform/data-folder.ts'
import { seal, sealKeyOf, unseal } from '../../platform/seal.ts'
import { challengeMs } from '../factors/rules.ts'
import { ownCookie } from './cookies.ts'

export interface Challenge {
  challenge: string
  expiresAt: number
}

/** The purpose of a challenge: the use of a passkey, or a new passkey in the session with this id. */
type ChallengeFor = 'use' | { session: string }

interface ChallengeCookies {
  /** The challenge in the request's cookies that can still be used; undefined if there is none. */
  find(cookies: string | undefined, purpose: ChallengeFor, now: number): Challenge | undefined
  /** Makes a challenge, and the header `Set-Cookie` that gives it to the browser. */
  make(purpose: ChallengeFor, now: number): { challenge: string; cookie: string }
  clear(purpose: ChallengeFor): string
}

export function challengeCookies({ dataDir, baseUrl }: { dataDir: string; baseUrl: string }): ChallengeCookies {
  const cookies = { use: ownCookie('svc.passkey', baseUrl), add: ownCookie('svc.new-passkey', baseUrl) }
  const cookieOf = (purpose: ChallengeFor) => (purpose === 'use' ? cookies.use : cookies.add)
  const ownerOf = (purpose: ChallengeFor) => (purpose === 'use' ? 'use' : `new in ${purpose.session}`)
  const key = () => sealKeyOf(secretOf(dataDir), 'passkeys')
  return {
    find(given, purpose, now) {
      const sealed = cookieOf(purpose).find(given)
      const text = sealed === undefined ? undefined : unseal(key(), ownerOf(purpose), sealed)
      const [challenge = '', until] = text?.split(' ') ?? []
      const expiresAt = Number(until)
      return text !== undefined && isAhead(expiresAt, now, challengeMs) ? { challenge, expiresAt } : undefined
    },
    make(purpose, now) {
      const challenge = randomBytes(32).toString('base64url')
      const sealed = seal(key(), ownerOf(purpose), `${challenge} ${now + challengeMs}`)
      return { challenge, cookie: cookieOf(purpose).set(sealed, challengeMs / 1000) }
    },
    clear: (purpose) => cookieOf(purpose).set('', 0),
  }
}
