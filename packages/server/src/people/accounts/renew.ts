import type { PasswordForm } from '../../platform/base.ts'
import type { People } from './library.ts'
import { formOf } from './password-forms.ts'

/**
 * Hashes a person's password again after a sign-in, if it is stored in the form that the service no longer writes. If
 * the person signs in twice at once, one of the two hashes remains; a password that was changed meanwhile stays.
 */
export async function renewHash(people: People, personId: string, password: string, form: PasswordForm): Promise<void> {
  const context = await people.auth.$context
  const account = await context.internalAdapter.findCredentialAccount(personId)
  if (!account?.password || formOf(account.password) === form) return
  const hash = await context.password.hash(password)
  await people.store.db
    .updateTable('account')
    .set({ password: hash })
    .where('id', '=', account.id)
    .where('password', '=', account.password)
    .execute()
}
