import { slugArgument, workspaces } from '@svc/api'
import { defineCommand, operationCommand } from '../shared/command.ts'
import { inWorkspace } from '../shared/params.ts'
import { perform } from '../shared/perform.ts'
import {
  argument,
  asOperator,
  type CommandCall,
  grantedToOperator,
  MissingError,
  option,
  rawArgument,
  readRole,
  roleOption,
} from '../shared/request.ts'
import { oneSafeLine, tableText } from '../shared/show.ts'

const email: [string, string] = ['<email>', 'of a person who has an account']

export const memberCommands = {
  'member add': defineCommand({
    says: 'make a person who has an account a member of a workspace',
    args: [slugArgument, email],
    options: [['--role <role>', 'admin or member (default: member)']],
    run: async (call) => {
      const { addMember } = await import('../../people/workspaces/store.ts')
      const role = roleOption(option(call, 'role'))
      const wanted = { slug: argument(call, 0), email: rawArgument(call, 1), role }
      const { workspace, email } = grantedToOperator(await addMember(asOperator(call), wanted))
      call.live.listChanged(workspace.id)
      return { workspace: workspace.slug, email, role }
    },
    show: ({ workspace, email, role }) =>
      `${oneSafeLine(email)} is now a member of ${workspace}, with the role ${role}.`,
  }),
  'member invite': defineCommand({
    says: 'invite the owner of an email address; prints the link for them, which works once, within seven days',
    args: [slugArgument, ['<email>', 'of a person, with an account or without one']],
    options: [['--role <role>', 'admin or member (default: member)']],
    run: async (call) => {
      const { inviteAsOperator } = await import('../../people/workspaces/invitations.ts')
      const role = roleOption(option(call, 'role'))
      const { workspace } = await inWorkspace(call)
      const wanted = { email: rawArgument(call, 1), role }
      const { email, url } = grantedToOperator(await inviteAsOperator(asOperator(call), workspace, wanted))
      return { workspace: workspace.slug, email, role, link: url }
    },
    show: ({ link }) => link,
  }),
  ...operationCommand(workspaces.members, {
    at: inWorkspace,
    run: async ({ store }, { workspace }) => {
      const { membersOfWorkspace } = await import('../../people/workspaces/members.ts')
      const members = await membersOfWorkspace(store.db, workspace, { id: '' })
      return members.map(({ email, name, role }) => ({ email, name, role }))
    },
    show: (all) =>
      tableText(
        ['E-MAIL', 'NAME', 'ROLE'],
        all.map(({ email, name, role }) => [email, name, role]),
        'The workspace has no members yet.',
      ),
  }),
  ...operationCommand(workspaces.changeRole, {
    run: async (call) => {
      const role = readRole(rawArgument(call, 2))
      const { email, ...at } = await memberNamed(call)
      await perform(call, workspaces.changeRole, at, { role })
      return { workspace: at.workspace.slug, email, role }
    },
    show: ({ workspace, email, role }) => `${oneSafeLine(email)} now has the role ${role} in ${workspace}.`,
  }),
  ...operationCommand(workspaces.removeMember, {
    at: memberNamed,
    run: async (call, { email, ...at }) => {
      await perform(call, workspaces.removeMember, at)
      return { workspace: at.workspace.slug, email, removed: true }
    },
    show: ({ workspace, email }) => `${oneSafeLine(email)} is no longer a member of ${workspace}.`,
  }),
}

/** Finds the workspace and the member that the first two arguments name. */
async function memberNamed(call: CommandCall) {
  const { findNamed } = await import('../../people/accounts/store.ts')
  const { membersOfWorkspace } = await import('../../people/workspaces/members.ts')
  const { db } = call.store
  const { workspace } = await inWorkspace(call)
  const typed = rawArgument(call, 1)
  const email = (await findNamed(db, typed))?.email
  const member = (await membersOfWorkspace(db, workspace, { id: '' })).find((each) => each.email === email)
  if (!member) throw new MissingError(`${oneSafeLine(typed)} is not a member of the workspace ${workspace.slug}.`)
  return { email: member.email, workspace, id: member.id }
}
