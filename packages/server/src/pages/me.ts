/** The signed-in person, as the page shows it. */
import type { Me } from '@svc/api'
import type { Deps } from '../deps.ts'
import { isEmailConfirmed } from '../people/confirmed.ts'
import type { Person } from '../people/store.ts'
import { workspacesOf } from '../workspaces/members.ts'

export async function meOf(
  { store, config, releases }: Pick<Deps, 'store' | 'config' | 'releases'>,
  person: Person,
): Promise<Me> {
  const runtime = releases.served() !== undefined
  const service = { version: config.version, baseUrl: config.baseUrl, runtime }
  const emailConfirmed = await isEmailConfirmed(store.db, person.id)
  const mails = config.smtpUrl !== undefined
  return { ...person, emailConfirmed, mails, workspaces: await workspacesOf(store.db, person.id), service }
}
