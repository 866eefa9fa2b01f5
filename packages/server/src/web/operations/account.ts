/**
 * Carries out the operations on people's own accounts. Sign-in, one-time links and passwords have separate routes
 * (web/routes/account.ts).
 */
import { account, type Session } from '@svc/api'
import { vapidOf } from '../../deliveries/channels/vapid.ts'
import { signInsOf } from '../../people/accounts/history.ts'
import { wantOnboarding } from '../../people/accounts/onboarding.ts'
import { endOtherSessions, endSession, sessionsOf } from '../../people/accounts/sessions.ts'
import { renamePerson } from '../../people/accounts/store.ts'
import { secretOf } from '../../platform/data-folder.ts'
import { sealKeyOf } from '../../platform/seal.ts'
import { refuse, done as verdict } from '../../platform/verdict.ts'
import { meOf } from '../queries/me.ts'
import { looks, personActs } from '../routing/operations.ts'

const done = { answer: () => ({ ok: true as const }) }

export const accountOperations = [
  personActs(
    account.changeMe,
    async ({ db, people, by, now }, { name, onboarding }) => {
      if (name === undefined && onboarding === undefined)
        return refuse('body_invalid', 'The body must have "name" or "onboarding".')
      if (onboarding !== undefined) await wantOnboarding(db, by.id, onboarding, now)
      return name === undefined ? verdict(by) : renamePerson(people, by, name, now)
    },
    { answer: (person, { deps, who, now }) => meOf(deps, { ...who, person }, now) },
  ),
  looks(account.pushKey, async ({ deps: { config } }) => ({
    publicKey: vapidOf(sealKeyOf(secretOf(config.dataDir))).publicKey,
  })),
  looks(account.sessions, async ({ deps, who, now }) => {
    const all = await sessionsOf(deps.store.db, who.person.id, now)
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
  looks(account.signIns, ({ deps, who }) => signInsOf(deps.store.db, who.person.id)),
  personActs(account.endSession, ({ people, by, now, params }) => endSession(people, by, params.id, now), done),
  personActs(
    account.endOtherSessions,
    ({ people, by, session, now }) => endOtherSessions(people, by, session, now),
    done,
  ),
]
