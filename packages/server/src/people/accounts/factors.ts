/**
 * Changes of a person's second factors, with their audit entries and mails, and the check of a typed code. The secret
 * of an authenticator app is sealed with a key from the file `secret`.
 */
import type { Factors, NewTotp, RecoveryCodes } from '@svc/api'
import type { Verdict } from '@svc/protocol'
import { secretOf } from '../../platform/data-folder.ts'
import type { Db } from '../../platform/db/open.ts'
import { seal, sealKeyOf, unseal } from '../../platform/seal.ts'
import { done, refuse } from '../../platform/verdict.ts'
import type { Actor } from '../audit/by.ts'
import { audit } from '../audit/store.ts'
import { clockDifferenceOf, newTotpSecret, stepOf, totpUri } from '../factors/codes.ts'
import { providerAccountOf } from '../factors/connections.ts'
import { factorKindsOf, factorsOfPerson } from '../factors/held.ts'
import {
  confirmFactor,
  findTotp,
  lastFactorAt,
  noteProof,
  removeApp,
  removeFactors,
  replaceRecovery,
  spendTotpStep,
  storeTotp,
  useRecovery,
} from '../factors/store.ts'
import { type AccountNoticeKind, queueNotice } from '../mails/queue.ts'
import { dropConnection, waysIn } from './connection.ts'
import { decideWithAccounts, type PeopleCtx, type PeopleDeps } from './library.ts'
import { listPasskeys } from './passkeys.ts'
import { endSessionsBeforeFactor } from './sessions.ts'
import { lockNamedPerson, type Person, unknownPerson } from './store.ts'

interface FactorConfig {
  dataDir: string
  baseUrl: string
  smtpUrl?: string | undefined
  oidc?: { issuer: string; name: string; only: boolean } | undefined
}
/** The context of a change that a person makes in a session. */
interface Ctx {
  db: Db
  config: FactorConfig
  by: Person
  session: { id: string }
  now: number
  clocksDiffer?: ClocksDiffer
}

const keyOf = ({ dataDir }: Pick<FactorConfig, 'dataDir'>) => sealKeyOf(secretOf(dataDir), 'totp')

export async function readFactors(
  db: Db,
  config: Pick<FactorConfig, 'dataDir' | 'baseUrl' | 'oidc'>,
  person: { id: string },
  session: { id: string },
): Promise<Factors> {
  const row = await findTotp(db, person.id)
  const held = await factorsOfPerson(db, config, person.id)
  const isOn = row?.confirmed_at != null
  const provider = held.connectedAt === null ? undefined : config.oidc
  return {
    totp: isOn,
    unreadable: isOn && unseal(keyOf(config), person.id, row.secret) === undefined,
    recoveryLeft: held.recoveryLeft,
    passkeys: await listPasskeys(db, config, person),
    oidc:
      provider && held.connectedAt !== null
        ? {
            ...{ name: provider.name, since: held.connectedAt },
            account: await providerAccountOf(db, person.id, provider.issuer),
          }
        : null,
    password: (await waysIn(db, config, person)).password,
    shown: (await lastFactorAt(db, session)) !== null,
  }
}

/** Begins to add an authenticator app. Its secret replaces the secret of an app that was never confirmed. */
export async function beginTotp({ db, config, by, now }: Ctx): Promise<Verdict<NewTotp, 'totp_on'>> {
  const secret = newTotpSecret()
  const isStored = await storeTotp(db, by.id, seal(keyOf(config), by.id, secret), now)
  if (!isStored) return refuse('totp_on', 'Your account has an authenticator app already. Remove it first.')
  return done({ secret, uri: totpUri(secret, { email: by.email, host: new URL(config.baseUrl).host }) })
}

/**
 * Adds the authenticator app by a code that it shows. The session then counts as one in which a factor was shown. If
 * this is the person's first factor, all other sessions end; otherwise those end in which no factor was shown.
 */
export async function confirmTotp(
  ctx: Ctx,
  typed: string,
): Promise<Verdict<RecoveryCodes, 'totp_on' | 'factor_unknown' | 'code_wrong'>> {
  const { db, config, by, session, now } = ctx
  const row = await findTotp(db, by.id)
  if (!row) return refuse('factor_unknown', 'No authenticator app is being added. Begin again.')
  if (row.confirmed_at !== null)
    return refuse('totp_on', 'Your account has an authenticator app already. Remove it first.')
  const secret = unseal(keyOf(config), by.id, row.secret)
  if (secret === undefined) return refuse('factor_unknown', 'The service can no longer read this secret. Begin again.')
  const step = stepOf(typed, secret, 0, now)
  if (step === undefined) return wrongFor(ctx, typed, secret, 0)
  const before = factorKindsOf(await factorsOfPerson(db, config, by.id))
  if (!(await confirmFactor(db, row, step, now)))
    return refuse('factor_unknown', 'The secret was replaced or removed meanwhile. Begin again.')
  await noteProof(db, session, 'factor', now)
  const recovery = await replaceRecovery(db, by.id, now)
  const isFirst = before.length === 0
  const sessionsEnded = await endSessionsBeforeFactor(db, by, { kept: session, isFirst }, now)
  await noteChange(ctx, 'person.factor_added', 'factor_added', { sessionsEnded })
  return done({ recovery })
}

export async function makeRecoveryCodes(ctx: Ctx): Promise<Verdict<RecoveryCodes, 'factor_unknown'>> {
  if (!(await factorsOfPerson(ctx.db, ctx.config, ctx.by.id)).totp) return noFactor
  const recovery = await replaceRecovery(ctx.db, ctx.by.id, ctx.now)
  await noteChange(ctx, 'person.recovery_codes_made', 'recovery_codes')
  return done({ recovery })
}

export async function removeTotp(ctx: Ctx): Promise<Verdict<null, 'factor_unknown'>> {
  if (!(await removeApp(ctx.db, ctx.by.id, ctx))) return noFactor
  await noteChange(ctx, 'person.factor_removed', 'factor_removed')
  return done(null)
}

/**
 * Checks a code of the authenticator app or a recovery code and uses it up. This must run in the transaction that acts
 * on the result: if that is rolled back, the code can be used again.
 */
export async function useFactor(
  {
    db,
    config,
    person,
    now,
    clocksDiffer,
  }: { db: Db; config: FactorConfig; person: Person; now: number; clocksDiffer?: ClocksDiffer },
  { code, recovery }: { code?: string | undefined; recovery?: string | undefined },
): Promise<Verdict<null, 'code_wrong' | 'factor_unreadable'>> {
  if (recovery !== undefined) {
    if (!(await useRecovery(db, person.id, recovery))) return wrongCode
    const left = (await factorsOfPerson(db, config, person.id)).recoveryLeft
    await audit(db, {
      ...{ workspaceId: null, at: now, by: person, subject: `person ${person.email}` },
      action: 'person.recovery_code_used',
      details: { left },
    })
    await queueNotice(db, { config }, { person: person.id, what: 'recovery_used' }, now)
    return done(null)
  }
  const row = await findTotp(db, person.id)
  if (row?.confirmed_at == null || code === undefined) return wrongCode
  const secret = unseal(keyOf(config), person.id, row.secret)
  if (secret === undefined) return secretUnreadable
  const step = stepOf(code, secret, Number(row.last_step), now)
  if (step === undefined) return wrongFor({ now, clocksDiffer }, code, secret, Number(row.last_step))
  return (await spendTotpStep(db, person.id, step)) ? done(null) : wrongCode
}

/** The refusal of a wrong code. It names the difference of the clocks if that explains the wrong code. */
function wrongFor(
  { now, clocksDiffer }: { now: number; clocksDiffer?: ClocksDiffer | undefined },
  typed: string,
  secret: string,
  lastStep: number,
) {
  const off = clockDifferenceOf(typed, secret, lastStep, now)
  if (off === undefined) return wrongCode
  clocksDiffer?.(off / 1000)
  const minutes = Math.abs(off) / 60_000
  const by = `${minutes} minute${minutes === 1 ? '' : 's'}`
  return refuse(
    'code_wrong',
    `That code is from another time: the clock of your phone is about ${by} ${off > 0 ? 'ahead of' : 'behind'} that of this service. Set your phone to automatic time; if it is right, tell the operator.`,
  )
}
/** Logs by how many seconds the clock of an app is ahead of the service's clock. */
type ClocksDiffer = (seconds: number) => void

/**
 * Removes the second factors of a person who lost them, for the operator; with `provider` also the connection with the
 * sign-in provider. All sessions of the person end.
 */
export async function resetFactor(
  { people, by, now }: PeopleCtx & { people: PeopleDeps & { config: FactorConfig } },
  typed: string,
  { provider = false } = {},
): Promise<Verdict<Person, 'person_unknown' | 'factor_unknown'>> {
  return decideWithAccounts<Person, 'person_unknown' | 'factor_unknown'>(people, async (trx, { own }) => {
    const person = await lockNamedPerson(trx, typed)
    if (!person) return unknownPerson(typed)
    const isDisconnected = provider && (await dropConnection({ db: trx, by, now }, people.config, person))
    if (!(await removeFactorsAndNotify({ db: trx, by, now }, people.config, person)) && !isDisconnected) {
      const { connectedAt } = await factorsOfPerson(trx, people.config, person.id)
      const hint = connectedAt === null ? '' : ' To end the connection with the sign-in provider, add --provider.'
      return refuse('factor_unknown', `${person.email} has no second factor.${hint}`)
    }
    await own.deleteUserSessions(person.id)
    return done(person)
  })
}

/** Removes all second factors of a person, and tells the person. The caller ends the sessions. */
export async function removeFactorsAndNotify(
  { db, by, now }: { db: Db; by: Actor; now: number },
  config: FactorConfig,
  person: Person,
): Promise<boolean> {
  const removed = await removeFactors(db, person.id)
  if (!removed) return false
  const subject = `person ${person.email}`
  await audit(db, { workspaceId: null, at: now, by, action: 'person.factor_reset', subject })
  await queueNotice(db, { config }, { person: person.id, what: 'factor_removed' }, now)
  return true
}

async function noteChange(
  { db, config, by, now }: Ctx,
  action: string,
  change: AccountNoticeKind,
  details?: Record<string, number>,
): Promise<void> {
  const note = { workspaceId: null, at: now, by, action, subject: `person ${by.email}` }
  await audit(db, { ...note, ...(details && { details }) })
  await queueNotice(db, { config }, { person: by.id, what: change }, now)
}

const wrongCode = refuse('code_wrong', 'That code is not right, or was used before. Wait for the next one.')
const noFactor = refuse('factor_unknown', 'Your account has no authenticator app.')
const secretUnreadable = refuse(
  'factor_unreadable',
  'The service can no longer read the secret of your authenticator app. Use a recovery code, or ask the operator to run svc-server person reset-factor.',
)
