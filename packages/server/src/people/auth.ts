/** People's accounts are the accounts library's work: sign-in, sessions, workspaces, members, invitations. */
import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { organization } from 'better-auth/plugins'
import { createAccessControl } from 'better-auth/plugins/access'
import { adminAc, defaultStatements, memberAc } from 'better-auth/plugins/organization/access'
import type { Store } from '../db/open.ts'

const access = createAccessControl({ ...defaultStatements, agent: ['read', 'command', 'manage'], log: ['read'] })

/** A member sees, an admin acts; logs are for admins only. */
const roles = {
  admin: access.newRole({
    ...adminAc.statements,
    organization: ['update', 'delete'],
    agent: ['read', 'command', 'manage'],
    log: ['read'],
  }),
  member: access.newRole({ ...memberAc.statements, agent: ['read'] }),
}

export interface AuthSetup {
  baseUrl: string
  /** At least 32 random characters; signs cookies. */
  secret: string
}

export const authOptions = (store: Store, { baseUrl, secret }: AuthSetup) =>
  ({
    baseURL: baseUrl,
    basePath: '/api/auth',
    secret,
    trustedOrigins: [baseUrl],
    telemetry: { enabled: false },
    database: { db: store.db, type: store.engine },
    emailAndPassword: { enabled: true, disableSignUp: true, minPasswordLength: 10, maxPasswordLength: 200 },
    plugins: [
      organization({
        ac: access,
        roles,
        creatorRole: 'admin',
        allowUserToCreateOrganization: false,
        invitationExpiresIn: 7 * 86400,
        schema: {
          organization: { modelName: 'workspace' },
          member: { fields: { organizationId: 'workspaceId' } },
          invitation: { fields: { organizationId: 'workspaceId' } },
          session: { fields: { activeOrganizationId: 'activeWorkspaceId' } },
        },
      }),
    ],
  }) satisfies BetterAuthOptions

export const openAuth = (store: Store, setup: AuthSetup) => betterAuth(authOptions(store, setup))
export type Auth = ReturnType<typeof openAuth>
