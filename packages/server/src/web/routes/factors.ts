/**
 * The second half of a sign-in, passkeys, and proofs: routes that check codes, passkeys and passwords, and count the
 * wrong ones.
 */
import { factors, type PasskeyAnswer } from '@svc/api'
import { type Context, Hono } from 'hono'
import { useFactor } from '../../people/accounts/factors.ts'
import {
  addPasskey,
  checkNewPasskeyAnswer,
  passkeyCreationFor,
  passkeyRequestFor,
  refuseNoPasskeys,
  takePasskey,
} from '../../people/accounts/passkeys.ts'
import { isPasswordOf } from '../../people/accounts/password.ts'
import { factorsOfPerson, provesByFactor } from '../../people/factors/held.ts'
import { countCode, forgetWrongCodes, noteProof } from '../../people/factors/store.ts'
import type { Db } from '../../platform/db/open.ts'
import { isNodeWithout } from '../../platform/nodes.ts'
import { granted, Refusal } from '../../platform/refusal.ts'
import { changeAsPerson } from '../routing/acting.ts'
import { bodyFor } from '../routing/body.ts'
import { requirePasswords, requireSignedIn, type WebEnv } from '../routing/guards.ts'
import { proofGuard } from '../routing/proof.ts'
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
    await changeAsPerson(deps, who, async ({ db, by: person, now: at }) => {
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

  const proveByPasskey = (c: Context<WebEnv>, answer: PasskeyAnswer) =>
    signIn.showPasskey(c, answer, (use) =>
      changeAsPerson(deps, c.var, async ({ db, now: at }) => {
        if (!(await takePasskey(db, use, at))) throw new Refusal('passkey_wrong')
        await noteProof(db, c.var.session, 'factor', at)
        return { ok: true, value: undefined }
      }),
    )

  /** Throws while a node runs that does not know passkeys. */
  async function demandNewNodes(db: Db): Promise<void> {
    if (await isNodeWithout('passkeys', db, deps.live.nodesHeard?.() ?? [], now()))
      throw new Refusal('nodes_mixed', oldNode)
  }

  /** Throws at an address for which browsers allow no passkeys. */
  function demandPasskeys(): void {
    const off = refuseNoPasskeys(config)
    if (off) throw new Refusal(off.code, off.message)
  }

  /** Proves by the password, which is enough only for somebody who has no second factor. */
  async function proveByPassword(who: WebEnv['Variables'], password: string): Promise<void> {
    if (config.oidc?.only) throw new Refusal('oidc_only')
    if (provesByFactor(await factorsOfPerson(store.db, config, who.person.id)))
      throw new Refusal('code_wrong', needsFactor)
    if (!(await isPasswordOf(deps, who.person, password))) throw new Refusal('password_wrong', passwordRefusal)
    await changeAsPerson(deps, who, async ({ db, by, now: at }) => {
      if (provesByFactor(await factorsOfPerson(db, config, by.id))) throw new Refusal('code_wrong', needsFactor)
      await noteProof(db, who.session, 'password', at)
      return { ok: true, value: null }
    })
  }

  const only = requireSignedIn(deps)
  return new Hono<WebEnv>()
    .post('/second-factor', requirePasswords(deps), async (c) => {
      const given = await bodyFor(c, factors.secondFactor)
      await signIn.withSecond(c, given)
      return c.json({ ok: true })
    })
    .post('/passkey/options', async (c) => {
      demandPasskeys()
      return c.json(passkeyRequestFor(config, await signIn.challenge(c)))
    })
    .post('/passkey', async (c) => {
      const { response } = await bodyFor(c, factors.usePasskey)
      await signIn.withPasskey(c, response)
      return c.json({ ok: true })
    })
    .post('/factors/passkeys/options', only, proofGuard(deps, factors.passkeyCreation), async (c) => {
      demandPasskeys()
      await demandNewNodes(store.db)
      const ctx = { db: store.db, config, by: c.var.person }
      return c.json(granted(await passkeyCreationFor(ctx, () => signIn.challengeToAdd(c))))
    })
    .post('/factors/passkeys', only, proofGuard(deps, factors.addPasskey), async (c) => {
      const asked = await bodyFor(c, factors.addPasskey)
      const made = await signIn.addPasskey(c, asked.response, async (challenge) => {
        const ready = granted(await checkNewPasskeyAnswer(config, challenge, asked))
        return changeAsPerson(deps, c.var, async (ctx) => {
          await demandNewNodes(ctx.db)
          return addPasskey({ ...ctx, config, session: c.var.session }, ready)
        })
      })
      await deps.live.rightsChanged()
      return c.json(made, 201)
    })
    .post('/proof', only, async (c) => {
      const { code, passkey, password } = await bodyFor(c, factors.prove)
      if (code !== undefined) await proveByCode(c.var, code)
      else if (passkey !== undefined) await proveByPasskey(c, passkey)
      else await signIn.countPassword(c, () => proveByPassword(c.var, password ?? ''))
      return c.json({ ok: true })
    })
}

const needsFactor = 'Your account has a second factor: show it instead of giving the password.'
const oldNode =
  'A node of an earlier version is still running, which does not know passkeys. Stop it, and try again in two minutes.'
const passwordRefusal = 'That password is not right.'
