/**
 * The accounts library: passwords, sessions, cookies, and the tables of people, workspaces, members and invitations. Of
 * the library's routes only sign-in and sign-out can be reached (web/routes/account.ts). Changes to a workspace go
 * through the service's functions, which check and record them in the same transaction.
 */
import { createAuthEndpoint } from '@better-auth/core/api'
import { type BetterAuthOptions, type BetterAuthPlugin, betterAuth } from 'better-auth'
import { setSessionCookie } from 'better-auth/cookies'
import { organization } from 'better-auth/plugins'
import { createAccessControl } from 'better-auth/plugins/access'
import { adminAc, defaultStatements, memberAc } from 'better-auth/plugins/organization/access'
import { z } from 'zod'
import type { PasswordForm } from '../../platform/base.ts'
import { StoreError } from '../../platform/db/error.ts'
import type { Store } from '../../platform/db/open.ts'
import { whyPostgresFails } from '../../platform/db/reasons.ts'
import { messageOf, systemReason } from '../../platform/errors.ts'
import { dayMs } from '../../platform/limits/units.ts'
import { sessionCookie } from './cookies.ts'
import { passwordHashing } from './passwords.ts'

const access = createAccessControl({ ...defaultStatements, agent: ['read', 'command', 'manage'], log: ['read'] })

/** The roles as the accounts library knows them. Which operations a member may use is declared with each operation. */
const roles = {
  admin: access.newRole({
    ...adminAc.statements,
    organization: ['update', 'delete'],
    agent: ['read', 'command', 'manage'],
    log: ['read'],
  }),
  member: access.newRole({ ...memberAc.statements, agent: ['read'] }),
}

/**
 * The minimum and maximum length of a password in characters. There is no rule about kinds of characters, since only
 * length matters (ASVS 5, 6.2).
 */
export const passwordLength = { min: 10, max: 200 } as const
/** The seconds after which a session ends if it is not used. */
export const idleSeconds = 14 * 86400
/** The milliseconds after which a session ends even if it is used. */
export const maxSessionMs = 90 * dayMs
/** The precision, in seconds, with which the last use of a session is recorded. */
const seenSeconds = 15 * 60
const invitationSeconds = 7 * 86400
/** The milliseconds for which an invitation is valid. */
export const invitationMs = invitationSeconds * 1000

/**
 * The header in which the service tells the library a client's address. A header of this name that the client sends is
 * removed (`sessionHeaders`).
 */
export const addressHeader = 'x-svc-caller'

interface AuthSetup {
  baseUrl: string
  /** The secret that signs cookies, at least 32 random characters. */
  secret: string
  /**
   * The form in which new passwords are hashed, scrypt or argon2id. Passwords stored in the other form can still be
   * checked.
   */
  passwordForm?: PasswordForm
  /** Replaces the hashing that `passwordForm` selects. Tests pass a cheaper one. */
  passwords?: ReturnType<typeof passwordHashing>
}

/**
 * Makes a session for a person that the service has already identified. It has no route, so only the service's code can
 * call it.
 */
const signInPerson = {
  id: 'svc',
  endpoints: {
    signInPerson: createAuthEndpoint.serverOnly(
      { method: 'POST', body: z.object({ userId: z.string() }) },
      async (c) => {
        const user = await c.context.internalAdapter.findUserById(c.body.userId)
        if (!user) throw new Error('There is no such person to sign in.')
        const session = await c.context.internalAdapter.createSession(user.id)
        await setSessionCookie(c, { session, user })
        return c.json({ token: session.token })
      },
    ),
  },
} satisfies BetterAuthPlugin

const authOptions = (
  store: Store,
  { baseUrl, secret, passwordForm = 'scrypt', passwords = passwordHashing(passwordForm) }: AuthSetup,
) => {
  const https = baseUrl.startsWith('https:')
  return {
    appName: 'svc',
    baseURL: baseUrl,
    basePath: '/api/auth',
    secret,
    trustedOrigins: [baseUrl],
    telemetry: { enabled: false },
    // With instrumentation, the first request that writes would load a library for tracing, which takes up to 20 ms.
    experimental: { instrumentation: { enabled: false } },
    logger: { disabled: true },
    database: { db: store.db, type: store.engine },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: passwordLength.min,
      maxPasswordLength: passwordLength.max,
      password: passwords,
    },
    session: { expiresIn: idleSeconds, updateAge: seenSeconds },
    // The library's rate limits are off, because they count by address alone. The limits in sign-in-limits.ts also
    // consider accounts and browsers.
    rateLimit: { enabled: false },
    advanced: {
      useSecureCookies: false,
      cookiePrefix: 'svc',
      cookies: { session_token: { name: sessionCookie(baseUrl).name } },
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', path: '/', secure: https },
      ipAddress: { ipAddressHeaders: [addressHeader], ipv6Subnet: 128 },
    },
    plugins: [
      organization({
        ac: access,
        roles,
        creatorRole: 'admin',
        allowUserToCreateOrganization: false,
        invitationExpiresIn: invitationSeconds,
        schema: {
          organization: { modelName: 'workspace' },
          member: { fields: { organizationId: 'workspaceId' } },
          invitation: { fields: { organizationId: 'workspaceId' } },
          session: { fields: { activeOrganizationId: 'activeWorkspaceId' } },
        },
      }),
      signInPerson,
    ],
  } satisfies BetterAuthOptions
}

/**
 * The library's options for migrating its tables. They must not be used for anything else, since their secret is not
 * real.
 */
export const accountTables = (store: Store): BetterAuthOptions =>
  authOptions(store, { baseUrl: 'http://localhost', secret: 'for migrations only'.padEnd(32) })

/** Opens the library. Await `warmUpAuth` before the first use. */
export const openAuth = (store: Store, setup: AuthSetup) => betterAuth(authOptions(store, setup))
export type Auth = ReturnType<typeof openAuth>

/**
 * Opens the library's access to the database and checks its tables, which the library otherwise does at its first use.
 * In a transaction of the service that would deadlock on SQLite, so call this before one is opened. Later calls return
 * at once.
 */
export async function warmUpAuth(auth: Auth): Promise<void> {
  try {
    await (await auth.$context).checkSchema?.()
  } catch (cause) {
    throw new StoreError(`The tables of people's accounts cannot be used: ${whyUnready(cause)}`, { cause })
  }
}

function whyUnready(error: unknown): string {
  const findings = (error as { findings?: { kind: string; table: string; column?: string }[] }).findings
  if (!Array.isArray(findings)) return whyPostgresFails(error) ?? systemReason(error) ?? messageOf(error)
  const says = findings.map(({ kind, table, column }) => {
    if (column === undefined) return `the table ${table} is missing`
    return kind === 'missing-column'
      ? `the column ${column} of the table ${table} is missing`
      : `the column ${column} of the table ${table} is unknown and must not be empty`
  })
  return `${says.join('; ')}. Undo the change of the database that another program made, or restore a backup.`
}
