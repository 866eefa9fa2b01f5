/** Operations on a workspace and the people in it. */
import type { AuditEntry, InvitationInfo, Members, Workspace } from '../answers/workspaces.ts'
import * as bounds from '../bounds.ts'
import {
  count,
  flag,
  number,
  object,
  oneOf,
  optional,
  orNull,
  pasted,
  pastedWord,
  query,
  reportedText,
  text,
  words,
} from '../input.ts'
import { change, proofIf, reading } from '../operation.ts'
import { slugArgument } from './arguments.ts'
import { maxEmailLength, maxNameLength, maxPasswordLength } from './typed.ts'

const role = oneOf(['admin', 'member'])

export const createWorkspace = change<{ slug: string }>()('POST /workspaces', {
  right: 'person',
  says: 'make a workspace and become its admin; for admins of an activated workspace',
  input: object({ slug: pasted(), name: text(maxNameLength) }),
  makes: true,
  audit: ['workspace.created', 'workspace.activated'],
  pages: { none: 'nobody has it open yet' },
  again: 'refused',
  adds: bounds.workspaces,
})
export const showWorkspace = reading<Workspace>()('GET /w/:slug', {
  says: 'show a workspace and your role in it',
})
export const renameWorkspace = change<Workspace>()('PATCH /w/:slug', {
  says: 'rename a workspace (its short name stays), or say from when its admins need a second factor (null: never)',
  input: object({ name: optional(text(maxNameLength)), factorFrom: optional(orNull(number)) }),
  proof: proofIf<{ factorFrom?: number | null }>(
    'if it is about second factors',
    (input) => input.factorFrom !== undefined,
    'change from when admins of the workspace need a second factor',
  ),
  audit: ['workspace.renamed', 'workspace.factor_required', 'workspace.factor_not_required'],
  pages: ['list'],
  again: 'new',
  adds: null,
  command: {
    name: 'workspace rename',
    says: 'rename a workspace; its short name stays',
    args: [slugArgument, ['<name>', 'as people see it']],
  },
})
export const deleteWorkspace = change<{ ok: true }>()('DELETE /w/:slug', {
  says: 'delete a workspace with its agents, runs, logs and people',
  proof: true,
  audit: ['workspace.deleted'],
  pages: ['rights'],
  again: 'refused',
  adds: null,
  command: {
    name: 'workspace delete',
    args: [slugArgument],
    options: [['--yes', 'really delete it; without it, the command says what would go']],
  },
})
export const members = reading<Members>()('GET /w/:slug/members', {
  says: 'list the members of a workspace and, for admins, its invitations',
  command: { name: 'member list', args: [slugArgument] },
})
export const changeRole = change<{ ok: true }>()('PATCH /w/:slug/members/:id', {
  says: 'make a member an admin, or an admin a member',
  input: object({ role }),
  proof: true,
  audit: ['member.role_changed'],
  pages: ['list'],
  again: 'same',
  adds: null,
  command: {
    name: 'member role',
    args: [slugArgument, ['<email>', 'of a member'], ['<role>', 'admin or member']],
  },
})
export const removeMember = change<{ ok: true }>()('DELETE /w/:slug/members/:id', {
  right: 'member',
  says: 'remove somebody from a workspace; members may only leave it themselves',
  proof: proofIf('unless you leave it yourself', (_, { params, membership }) => params.id !== membership),
  audit: ['member.removed', 'member.left'],
  pages: ['list', 'rights'],
  again: 'refused',
  adds: null,
  command: { name: 'member remove', args: [slugArgument, ['<email>', 'of a member']] },
})
export const invite = change<{ id: string; url: string; mailed: boolean }>()('POST /w/:slug/invitations', {
  says: 'invite somebody; the answer holds the link for them, which can also be mailed',
  input: object({ email: text(maxEmailLength), role, mail: optional(flag) }),
  proof: proofIf<{ role: string }>('if the role is admin', ({ role }) => role === 'admin'),
  makes: true,
  audit: ['member.invited'],
  pages: { none: 'only the page of members shows it, to the person who invited' },
  again: 'new',
  adds: bounds.people,
})
export const showInvitationLink = change<{ url: string }>()('POST /w/:slug/invitations/:id/link', {
  says: 'show the link of an open invitation again; what makes somebody an admin is not in the list of members',
  proof: true,
  audit: ['member.invitation_shown'],
  pages: { none: 'only the person who asked sees it' },
  again: 'new',
  adds: null,
})
export const withdrawInvitation = change<{ ok: true }>()('DELETE /w/:slug/invitations/:id', {
  says: 'withdraw an invitation; its link stops working',
  audit: ['member.invitation_withdrawn'],
  pages: { none: 'only the page of members shows it, to the person who withdrew it' },
  again: 'refused',
  adds: null,
})
export const events = reading<string>()('GET /w/:slug/events', {
  says: 'follow what changes in a workspace, and on the page of an agent',
  input: query({ agent: pastedWord }),
  manual: 'its answer is a stream, on the bare listener',
})
const whichActivity = {
  before: count(Number.MAX_SAFE_INTEGER),
  since: count(Number.MAX_SAFE_INTEGER, 0),
  by: reportedText,
  kind: pastedWord,
  text: words,
}
export const activity = reading<AuditEntry[]>()('GET /w/:slug/activity', {
  says: 'list the activity of a workspace, newest first',
  input: query({ ...whichActivity, limit: count(200, 50) }),
})
export const exportActivity = reading<string>()('GET /w/:slug/activity/export', {
  says: 'download the activity of a workspace as CSV, at most the newest 10,000 lines',
  input: query(whichActivity),
})
export const showInvitation = reading<InvitationInfo>()('GET /invitations/:id', {
  right: 'link',
  says: 'show an invitation',
  manual: 'wrong links are counted by address',
})
export const acceptInvitation = change<{ slug: string }>()('POST /invitations/:id', {
  right: 'link',
  says: 'accept an invitation; a new person gets an account and is signed in',
  input: object({ name: optional(text(maxNameLength)), password: optional(text(maxPasswordLength)) }),
  audit: ['member.added'],
  pages: { none: 'other pages show the member when they are opened next' },
  again: 'refused',
  adds: bounds.accounts,
  manual: 'it signs in',
})
