/**
 * Carries out the operations on people's own accounts: sessions, second factors and personal channels. Sign-in,
 * one-time links, passwords, proofs and the second half of a sign-in have separate routes (web/routes).
 */
import { account, channels, factors, type Session } from '@svc/api'
import { findChannelTest, removeChannel, testChannel } from '../../alerts/changes/channels.ts'
import { addPersonalChannel, listPersonal, setPersonalChannel } from '../../alerts/changes/personal.ts'
import { vapidOf } from '../../deliveries/channels/vapid.ts'
import { disconnect } from '../../people/accounts/connection.ts'
import { beginTotp, confirmTotp, makeRecoveryCodes, readFactors, removeTotp } from '../../people/accounts/factors.ts'
import { noteOnboarding } from '../../people/accounts/onboarding.ts'
import { removePasskey } from '../../people/accounts/passkeys.ts'
import { endOtherSessions, endSession, listSessions } from '../../people/accounts/sessions.ts'
import { listSignIns } from '../../people/accounts/sign-in-records.ts'
import { renamePerson } from '../../people/accounts/store.ts'
import type { Live } from '../../platform/base.ts'
import { secretOf } from '../../platform/data-folder.ts'
import type { Db } from '../../platform/db/open.ts'
import { isNodeWithoutFactors } from '../../platform/nodes.ts'
import { Refusal } from '../../platform/refusal.ts'
import { sealKeyOf } from '../../platform/seal.ts'
import { refuse, done as verdict } from '../../platform/verdict.ts'
import { readMe } from '../queries/me.ts'
import { bindPersonChange, bindReading } from '../routing/operations.ts'
import { noteClocks } from '../routing/sign-in-second.ts'
import { channelNeedsOf } from './alerts.ts'

const okAnswer = { answer: () => ({ ok: true as const }) }

export const accountOperations = [
  bindPersonChange(
    account.changeMe,
    async ({ db, people, by, now }, { name, onboarding }) => {
      if (name === undefined && onboarding === undefined)
        return refuse('body_invalid', 'The body must have "name" or "onboarding".')
      if (onboarding !== undefined) await noteOnboarding(db, by.id, onboarding, now)
      return name === undefined ? verdict(by) : renamePerson(people, by, name, now)
    },
    { answer: (person, { deps, who, now }) => readMe(deps, { ...who, person }, now) },
  ),
  bindReading(account.pushKey, async ({ deps: { config } }) => ({
    publicKey: vapidOf(sealKeyOf(secretOf(config.dataDir))).publicKey,
  })),
  bindReading(account.sessions, async ({ deps, who, now }) => {
    const all = await listSessions(deps.store.db, who.person.id, now)
    return all
      .map(
        (session): Session => ({
          id: session.id,
          current: session.id === who.session.id,
          createdAt: session.createdAt,
          seenAt: session.updatedAt,
          ip: session.ipAddress || null,
          userAgent: session.userAgent || null,
        }),
      )
      .sort((a, b) => Number(b.current) - Number(a.current) || b.seenAt - a.seenAt)
  }),
  bindReading(account.signIns, ({ deps, who }) => listSignIns(deps.store.db, who.person.id)),
  bindPersonChange(
    account.endSession,
    ({ people, by, now, params }) => endSession(people, by, params.id, now),
    okAnswer,
  ),
  bindPersonChange(
    account.endOtherSessions,
    ({ people, by, session, now }) => endOtherSessions(people, by, session, now),
    okAnswer,
  ),
]

/** Refuses to set up a first factor while a node runs that would sign the person in without asking for it. */
async function refuseOldNodes(db: Db, live: Live): Promise<void> {
  if (await isNodeWithoutFactors(db, live.nodesHeard?.() ?? [])) throw new Refusal('nodes_mixed')
}

export const factorOperations = [
  bindReading(factors.factors, ({ deps, who }) => readFactors(deps.store.db, deps.config, who.person, who.session)),
  bindPersonChange(factors.beginTotp, async ({ people, ...ctx }) => {
    await refuseOldNodes(ctx.db, people.live)
    return beginTotp({ ...ctx, config: people.config })
  }),
  bindPersonChange(factors.confirmTotp, async ({ people, ...ctx }, { code }) => {
    await refuseOldNodes(ctx.db, people.live)
    const clocksDiffer = (seconds: number) => people.log && noteClocks(people.log, ctx.by, seconds)
    return confirmTotp({ ...ctx, config: people.config, clocksDiffer }, code)
  }),
  bindPersonChange(factors.makeRecoveryCodes, ({ people, ...ctx }) =>
    makeRecoveryCodes({ ...ctx, config: people.config }),
  ),
  bindPersonChange(
    factors.removePasskey,
    ({ people, params, ...ctx }) => removePasskey({ ...ctx, config: people.config }, params.id),
    okAnswer,
  ),
  bindPersonChange(factors.removeOidc, ({ people, ...ctx }) => disconnect({ ...ctx, config: people.config }), okAnswer),
  bindPersonChange(factors.removeTotp, ({ people, ...ctx }) => removeTotp({ ...ctx, config: people.config }), {
    answer: () => ({ ok: true as const }),
  }),
]

export const personalOperations = [
  bindReading(channels.personalChannels, ({ deps, workspace, who }) =>
    listPersonal(deps.store.db, workspace, who.person),
  ),
  bindPersonChange(channels.addPersonalChannel, ({ workspace, people, ...ctx }, wanted) =>
    addPersonalChannel({ ...ctx, ...channelNeedsOf(people.config) }, workspace, wanted),
  ),
  bindPersonChange(channels.setPersonalChannel, ({ workspace, params, ...ctx }, wanted) =>
    setPersonalChannel(ctx, workspace, { ...wanted, name: params.channel }),
  ),
  bindPersonChange(
    channels.testPersonalChannel,
    ({ workspace, params, ...ctx }) => testChannel(ctx, { scope: workspace, person: ctx.by }, params.channel),
    { answer: ({ deliveryId: id }) => ({ id }) },
  ),
  bindReading(channels.personalChannelTest, async ({ deps, workspace, params, who }) => {
    const found = await findChannelTest(deps.store.db, { scope: workspace, person: who.person }, params)
    if (!found) throw new Refusal('delivery_unknown')
    return found
  }),
  bindPersonChange(channels.removePersonalChannel, ({ workspace, params, ...ctx }) =>
    removeChannel(ctx, { scope: workspace, person: ctx.by }, params.channel),
  ),
]
