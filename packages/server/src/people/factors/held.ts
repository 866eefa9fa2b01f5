/** Reads which second factors people have, and answers questions about them. */
import type { SecondKind } from '@svc/api'
import { passkeyObstacle } from '@svc/api/words'
import type { Db } from '../../platform/db/open.ts'

/** The factors that somebody can show besides a password. */
interface HeldFactors {
  /** True if the person has an authenticator app that a code confirmed. */
  totp: boolean
  /** The number of recovery codes that were not used yet. */
  recoveryLeft: number
  /** The number of passkeys that can be used at the base address of the service. */
  passkeys: number
  /**
   * The time at which the person was connected with the service's sign-in provider; null if the person is not
   * connected.
   */
  connectedAt: number | null
}
const none: HeldFactors = { totp: false, recoveryLeft: 0, passkeys: 0, connectedAt: null }

/** The people whose factors are read: the members of a workspace, everybody, or one person. */
type Whose = { workspace: string } | { person: string } | 'everybody'

/** The configuration that says at which address the service is, and which sign-in provider it has. */
export interface ServiceAddress {
  baseUrl: string
  oidc?: { issuer: string } | undefined
}

/** The host to which passkeys of the service belong; undefined where browsers allow none. */
export const passkeyHost = ({ baseUrl }: ServiceAddress): string | undefined =>
  passkeyObstacle(baseUrl) === undefined ? new URL(baseUrl).hostname : undefined

/**
 * Reads the factors of people, by the id of the person. This is the only function that counts factors. A passkey of
 * another host does not count, nor does a connection with another issuer: nobody can use them here, so they must not be
 * asked for.
 */
export async function factorsHeld(db: Db, at: ServiceAddress, whose: Whose): Promise<ReadonlyMap<string, HeldFactors>> {
  const all = db.selectFrom('user').select((eb) => [
    'user.id',
    eb.selectFrom('totp').select('confirmed_at').whereRef('totp.person_id', '=', 'user.id').as('appSince'),
    eb
      .selectFrom('recovery_code')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .whereRef('recovery_code.person_id', '=', 'user.id')
      .as('codes'),
    eb
      .selectFrom('passkey')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .whereRef('passkey.person_id', '=', 'user.id')
      .where('passkey.host', '=', passkeyHost(at) ?? '')
      .as('keys'),
    eb
      .selectFrom('oidc_connection')
      .select('connected_at')
      .whereRef('oidc_connection.person_id', '=', 'user.id')
      .where('oidc_connection.issuer', '=', at.oidc?.issuer ?? '')
      .as('connectedAt'),
  ])
  const rows = await (whose === 'everybody'
    ? all
    : 'person' in whose
      ? all.where('user.id', '=', whose.person)
      : all.where('user.id', 'in', db.selectFrom('member').select('userId').where('workspaceId', '=', whose.workspace))
  ).execute()
  return new Map(
    rows.map(({ id, appSince, codes, keys, connectedAt }) => [
      id,
      {
        ...{ totp: appSince !== null, recoveryLeft: Number(codes ?? 0), passkeys: Number(keys ?? 0) },
        connectedAt: connectedAt === null ? null : Number(connectedAt),
      },
    ]),
  )
}

export const factorsOfPerson = async (db: Db, at: ServiceAddress, person: string): Promise<HeldFactors> =>
  (await factorsHeld(db, at, { person })).get(person) ?? none

/**
 * The ways to finish a sign-in by password; empty if it asks for no second factor. Only an app makes a second step
 * necessary: a passkey is another way to sign in, besides the password.
 */
export function waysToFinish({ totp, recoveryLeft, passkeys }: HeldFactors): SecondKind[] {
  if (!totp) return []
  return ['totp', ...(recoveryLeft > 0 ? ['recovery' as const] : []), ...(passkeys > 0 ? ['passkey' as const] : [])]
}

/** True if a person must prove with a factor, so that a password is not enough. */
export const provesByFactor = ({ totp, passkeys }: HeldFactors): boolean => totp || passkeys > 0

/** The kinds of a person's factors. A connection with the provider does not count here. */
export const factorKindsOf = ({ totp, passkeys }: HeldFactors = none): ('totp' | 'passkey')[] => [
  ...(totp ? ['totp' as const] : []),
  ...(passkeys > 0 ? ['passkey' as const] : []),
]

/**
 * True if the person has any second factor, as admins see it in the list of members. A connection with the provider
 * counts as one.
 */
export const hasAnyFactor = (held?: HeldFactors): boolean =>
  factorKindsOf(held).length > 0 || (held !== undefined && held.connectedAt !== null)
