import { workspaces } from '@svc/api'
import { command, commandOf } from '../shared/command.ts'
import { argument, granted, Missing, operator, option, roleOption, typedArgument } from '../shared/request.ts'
import { line, table } from '../shared/show.ts'

const slug: [string, string] = ['<slug>', "the workspace's short name"]
const email: [string, string] = ['<email>', 'of a person who has an account']

export const memberCommands = {
  'member add': command({
    says: 'make a person who has an account a member of a workspace',
    args: [slug, email],
    options: [['--role <role>', 'admin or member (default: member)']],
    run: async (request, { store, auth, live, now }, { addMember }) => {
      const role = roleOption(option(request, 'role'))
      const wanted = { slug: argument(request, 0), email: typedArgument(request, 1), role }
      const { workspace, email } = granted(
        await addMember({ people: { store, auth }, by: operator, now: now() }, wanted),
      )
      live.listChanged(workspace.id)
      return { workspace: workspace.slug, email, role }
    },
    show: ({ workspace, email, role }) => `${line(email)} is now a member of ${workspace}, with the role ${role}.`,
  }),
  ...commandOf(workspaces.members, {
    run: async (request, service, { membersOf, workspaceOf }) => {
      const workspace = await workspaceOf(service, argument(request, 0))
      const members = await membersOf(service.store.db, workspace, { id: '' })
      return members.map(({ email, name, role }) => ({ email, name, role }))
    },
    show: (all) =>
      table(
        ['E-MAIL', 'NAME', 'ROLE'],
        all.map(({ email, name, role }) => [email, name, role]),
        'The workspace has no members yet.',
      ),
  }),
  ...commandOf(workspaces.removeMember, {
    run: async (request, service, { findPerson, membersOf, perform, removedMember, workspaceOf }) => {
      const workspace = await workspaceOf(service, argument(request, 0))
      const typed = typedArgument(request, 1)
      const email = (await findPerson(service.store.db, typed))?.email
      const member = (await membersOf(service.store.db, workspace, { id: '' })).find((each) => each.email === email)
      if (!member) throw new Missing(`${line(typed)} is not a member of the workspace ${workspace.slug}.`)
      const params = { slug: workspace.slug, id: member.id }
      await perform(service, removedMember, { workspace, params }, undefined)
      return { workspace: workspace.slug, email: member.email, removed: true }
    },
    show: ({ workspace, email }) => `${line(email)} is no longer a member of ${workspace}.`,
  }),
}
