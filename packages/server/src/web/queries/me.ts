/** The signed-in person, as the page shows it. */
import type { Me } from '@svc/api'
import { isEmailConfirmed } from '../../people/accounts/confirmed.ts'
import type { Person } from '../../people/accounts/store.ts'
import { listWorkspacesOf } from '../../people/workspaces/rights.ts'
import type { Config } from '../../platform/base.ts'
import type { Store } from '../../platform/db/open.ts'
import type { Releases } from '../../updates/releases/releases.ts'
import { isOnboarding } from './first-steps.ts'

export async function readMe(
  { store, config, releases }: { store: Store; config: Config; releases: Releases },
  { person, session }: { person: Person; session: { id: string } },
  now: number,
): Promise<Me> {
  const runtime = releases.served() !== undefined
  const service = { version: config.version, baseUrl: config.baseUrl, runtime }
  const emailConfirmed = await isEmailConfirmed(store.db, person.id)
  const mails = config.smtpUrl !== undefined
  const workspaces = await listWorkspacesOf(store.db, { person, session }, now)
  const onboarding = await isOnboarding(store.db, person, workspaces, now)
  return { ...person, emailConfirmed, mails, workspaces, onboarding, service }
}
