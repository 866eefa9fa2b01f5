/** Operations of a person on their own account, and on the one-time links that sign a person in. */
import type { SignInAnswer } from '../answers/factors.ts'
import type {
  ClaimInfo,
  EntryInfo,
  ForgotPasswordInfo,
  Me,
  PushKey,
  Session,
  SignInRecord,
  StartInfo,
} from '../answers/workspaces.ts'
import * as bounds from '../bounds.ts'
import { flag, object, optional, pasted, pastedWord, query, text } from '../input.ts'
import { change, reading } from '../operation.ts'
import { maxEmailLength, maxNameLength, maxPasswordLength } from './typed.ts'

const token = pasted({ max: 200, secret: true })
const link = 'wrong links are counted by address, and a good one signs in'
const noPages = { none: 'open pages show it when they ask next' }

export const entryInfo = reading<EntryInfo>()('GET /door', {
  right: 'anybody',
  says: 'show who is signed in, if anybody is, and how people sign in to this service',
  manual: 'it works with and without a session, and requests without one are counted by address',
})
export const me = reading<Me>()('GET /me', {
  right: 'person',
  says: 'show who is signed in, with their workspaces',
  manual: 'it also renews the cookie by which a browser is known',
})
export const changeMe = change<Me>()('PATCH /me', {
  right: 'person',
  says: 'change your own name, or note that you were shown the first steps of a workspace or dismissed them for good',
  input: object({ name: optional(text(maxNameLength)), onboarding: optional(flag) }),
  audit: ['person.renamed'],
  pages: noPages,
  again: 'new',
  adds: bounds.onboarding,
})
export const pushKey = reading<PushKey>()('GET /push', {
  right: 'person',
  says: 'show the public key with which a browser subscribes to messages of this service',
})
export const sessions = reading<Session[]>()('GET /sessions', {
  right: 'person',
  says: 'list your sessions',
})
export const signIns = reading<SignInRecord[]>()('GET /sign-ins', {
  right: 'person',
  says: 'list your last sign-ins, newest first',
})
export const endSession = change<{ ok: true }>()('DELETE /sessions/:id', {
  right: 'person',
  says: 'end one of your sessions',
  audit: ['person.sessions_ended'],
  pages: ['rights'],
  again: 'refused',
  adds: null,
})
export const endOtherSessions = change<{ ok: true }>()('DELETE /sessions', {
  right: 'person',
  says: 'end all your other sessions',
  audit: ['person.sessions_ended'],
  pages: ['rights'],
  again: 'new',
  adds: null,
})
export const changePassword = change<{ ok: true }>()('POST /password', {
  right: 'person',
  says: 'change your own password; your other sessions end',
  input: object({ current: text(maxPasswordLength), next: text(maxPasswordLength) }),
  proof: true,
  audit: ['person.password_changed'],
  pages: ['rights'],
  again: 'refused',
  adds: null,
  manual: 'wrong passwords are counted, and the hash is made outside of the transaction',
})
export const startInfo = reading<StartInfo>()('GET /start', {
  right: 'link',
  says: 'check the link of the first start',
  input: query({ token: pastedWord }),
  manual: link,
})
export const firstStart = change<{ slug: string }>()('POST /start', {
  right: 'link',
  says: 'make the first account and the first workspace',
  input: object({
    token,
    name: text(maxNameLength),
    email: text(maxEmailLength),
    password: text(maxPasswordLength),
    workspace: text(maxNameLength),
    slug: pasted(),
  }),
  audit: ['person.created', 'workspace.created'],
  pages: { none: 'there is no page yet' },
  again: 'refused',
  adds: bounds.accounts,
  manual: link,
})
export const spendLink = change<{ ok: true }>()('POST /link', {
  right: 'link',
  says: 'sign in with a one-time link',
  input: object({ token }),
  audit: { none: "the person's own list of sign-ins says it" },
  pages: noPages,
  again: 'refused',
  adds: bounds.sessions,
  manual: link,
})
export const forgotPassword = change<ForgotPasswordInfo>()('POST /forgot', {
  right: 'link',
  says: 'have a link to choose a new password sent to your email address',
  input: object({ email: text(maxEmailLength) }),
  audit: { none: 'the link is recorded when it is sent' },
  pages: noPages,
  again: 'new',
  adds: bounds.passwordRequests,
  manual: 'it needs no right; requests are counted by address',
})
export const claimInfo = reading<ClaimInfo>()('GET /claim', {
  right: 'link',
  says: 'show which account a link hands over',
  input: query({ token: pastedWord }),
  manual: link,
})
export const claim = change<SignInAnswer>()('POST /claim', {
  right: 'link',
  says: 'take over an account; its other sessions end, and a second factor is asked for or, after a link of the operator, removed',
  input: object({ token, name: text(maxNameLength), password: text(maxPasswordLength) }),
  audit: ['person.claimed', 'person.password_reset'],
  pages: ['rights'],
  again: 'refused',
  adds: bounds.sessions,
  manual: link,
})
