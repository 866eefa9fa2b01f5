/** The second half of a sign-in, and proofs: routes in which codes and passwords are checked and counted. */
import { factors } from '@svc/api'
import { Hono } from 'hono'
import { useFactor } from '../../people/accounts/factors.ts'
import { isPasswordOf } from '../../people/accounts/password.ts'
import { factorsOfPerson, provesByFactor } from '../../people/factors/held.ts'
import { countCode, forgetWrongCodes, noteProof } from '../../people/factors/store.ts'
import { Refusal } from '../../platform/refusal.ts'
import { asPerson } from '../routing/acting.ts'
import { bodyFor } from '../routing/body.ts'
import { requireSignedIn, type WebEnv } from '../routing/guards.ts'
import { noteClocks, tooManyCodes } from '../routing/sign-in-second.ts'
import type { WebDeps } from '../routing/web-deps.ts'

export const factorRoutes = (deps: WebDeps) => {
  const { config, now, signIn, store } = deps

  /** Proves by a code of the authenticator app. Codes are counted before they are checked. */
  async function proveByCode(who: WebEnv['Variables'], code: string): Promise<void> {
    const clocksDiffer = (seconds: number) => noteClocks(deps.log, who.person, seconds)
    const party = `session ${who.session.id}` as const
    const wait = await countCode(store.db, who.person.id, now(), party)
    if (wait !== undefined) throw new Refusal('rate_limited', tooManyCodes, wait)
    await asPerson(deps, who, async ({ db, by: person, now: at }) => {
      const used = await useFactor({ db, config, person, now: at, clocksDiffer }, { code })
      if (!used.ok) return used
      await forgetWrongCodes(db, person.id, party)
      await noteProof(db, who.session, 'factor', at)
      return used
    }).catch(async (error) => {
      await signIn.mailWrongCodes(who.person, party)
      throw error
    })
  }

  /** Proves by the password, which is enough only for somebody who has no second factor. */
  async function proveByPassword(who: WebEnv['Variables'], password: string): Promise<void> {
    if (provesByFactor(await factorsOfPerson(store.db, who.person.id))) throw new Refusal('code_wrong', needsCode)
    if (!(await isPasswordOf(deps, who.person, password))) throw new Refusal('password_wrong', passwordRefusal)
    await asPerson(deps, who, async ({ db, by, now: at }) => {
      if (provesByFactor(await factorsOfPerson(db, by.id))) throw new Refusal('code_wrong', needsCode)
      await noteProof(db, who.session, 'password', at)
      return { ok: true, value: null }
    })
  }

  return new Hono<WebEnv>()
    .post('/second-factor', async (c) => {
      const given = await bodyFor(c, factors.secondFactor)
      await signIn.withSecond(c, given)
      return c.json({ ok: true })
    })
    .post('/proof', requireSignedIn(deps), async (c) => {
      const { code, password } = await bodyFor(c, factors.prove)
      if (code !== undefined) await proveByCode(c.var, code)
      else await signIn.countPassword(c, () => proveByPassword(c.var, password ?? ''))
      return c.json({ ok: true })
    })
}

const needsCode = 'Your account has a second factor: give a code of your authenticator app instead of the password.'
const passwordRefusal = 'That password is not right.'
