/**
 * The challenge that a passkey signs. It is not stored in the database until it is used: the browser keeps it in a
 * sealed cookie for five minutes. So a request for a challenge costs the service nothing, and an answer from another
 * browser is refused.
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

/** The purpose of a challenge: a sign-in, or a proof or a new passkey in the session with this id. */
export type ChallengeFor = { is: 'sign-in' } | { is: 'proof' | 'add'; session: string }

/** The challenges of a browser. Each function gets the header `Cookie` of its request. */
interface ChallengeCookies {
  /**
   * Returns the valid challenge that `answer` names, or else the newest valid one. Undefined if the browser has none.
   */
  find(cookies: string | undefined, purpose: ChallengeFor, answer: SignedAnswer, now: number): Challenge | undefined
  /** Makes a challenge, and the headers `Set-Cookie` that give it to the browser in addition to earlier challenges. */
  make(cookies: string | undefined, purposes: ChallengeFor[], now: number): { challenge: string; cookies: string[] }
  /** Makes the headers `Set-Cookie` that remove a used challenge from the browser's cookies. */
  end(cookies: string | undefined, purposes: ChallengeFor[], answer: SignedAnswer, now: number): string[]
}

/** The part of a browser's answer that names the challenge. */
interface SignedAnswer {
  response: { clientDataJSON: string }
}

/**
 * The maximum number of challenges that a browser keeps for one purpose. It is more than one, because several tabs may
 * each have a challenge.
 */
const maxChallenges = 3

export function challengeCookies({ dataDir, baseUrl }: { dataDir: string; baseUrl: string }): ChallengeCookies {
  const cookieFor = {
    'sign-in': ownCookie('svc.passkey', baseUrl),
    proof: ownCookie('svc.proof', baseUrl),
    add: ownCookie('svc.new-passkey', baseUrl),
  }
  const key = sealKeyOf(secretOf(dataDir), 'passkeys')

  function read(cookies: string | undefined, purpose: ChallengeFor, now: number): Challenge[] {
    const sealed = cookieFor[purpose.is].find(cookies)
    const words = sealed === undefined ? [] : (unseal(key, ownerOf(purpose), sealed) ?? '').split(' ')
    return words
      .map((word) => word.split(':'))
      .map(([challenge = '', until]) => ({ challenge, expiresAt: Number(until) }))
      .filter(({ expiresAt }) => isAhead(expiresAt, now, challengeMs))
  }

  function set(purpose: ChallengeFor, all: Challenge[]): string {
    if (all.length === 0) return cookieFor[purpose.is].set('', 0)
    const text = all.map(({ challenge, expiresAt }) => `${challenge}:${expiresAt}`).join(' ')
    return cookieFor[purpose.is].set(seal(key, ownerOf(purpose), text), challengeMs / 1000)
  }

  return {
    find(cookies, purpose, answer, now) {
      const [named, all] = [challengeIn(answer), read(cookies, purpose, now)]
      return all.find(({ challenge }) => challenge === named) ?? all.at(-1)
    },
    make(cookies, purposes, now) {
      const challenge = randomBytes(32).toString('base64url')
      const made = { challenge, expiresAt: now + challengeMs }
      const write = (purpose: ChallengeFor) =>
        set(purpose, [...read(cookies, purpose, now), made].slice(-maxChallenges))
      return { challenge, cookies: purposes.map(write) }
    },
    end(cookies, purposes, answer, now) {
      const named = challengeIn(answer)
      const left = (purpose: ChallengeFor) => read(cookies, purpose, now).filter(({ challenge }) => challenge !== named)
      return purposes.map((purpose) => set(purpose, left(purpose)))
    },
  }
}

/** The owner for which a cookie is sealed. A challenge for another session or purpose cannot be read. */
const ownerOf = (purpose: ChallengeFor): string =>
  purpose.is === 'sign-in' ? purpose.is : `${purpose.is} in ${purpose.session}`

/** The challenge that an answer names. The passkey's signature is not checked here. */
function challengeIn({ response }: SignedAnswer): string | undefined {
  try {
    const { challenge } = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString()) as {
      challenge?: unknown
    }
    return typeof challenge === 'string' ? challenge : undefined
  } catch {
    return undefined
  }
}
