import { workspaces } from '@svc/api'
import { command, commandOf, type Stores } from '../shared/command.ts'
import {
  argument,
  granted,
  Missing,
  operator,
  option,
  type Request,
  roleIn,
  roleOption,
  type Service,
  typedArgument,
} from '../shared/request.ts'
import { line, table } from '../shared/show.ts'

const slug: [string, string] = ['<slug>', "the workspace's short name"]
const email: [string, string] = ['<email>', 'of a person who has an account']

export const memberCommands = {
  'member add': command({
    says: 'make a person who has an account a member of a workspace',
    args: [slug, email],
    options: [['--role <role>', 'admin or member (default: member)']],
    run: async (request, service, { addMember }) => {
      const role = roleOption(option(request, 'role'))
      const wanted = { slug: argument(request, 0), email: typedArgument(request, 1), role }
      const { workspace, email } = granted(
        await addMember({ people: service, by: operator, now: service.now() }, wanted),
      )
      service.live.listChanged(workspace.id)
      return { workspace: workspace.slug, email, role }
    },
    show: ({ workspace, email, role }) => `${line(email)} is now a member of ${workspace}, with the role ${role}.`,
  }),
  'member invite': command({
    says: 'invite the owner of an email address; prints the link for them, which works once, within seven days',
    args: [slug, ['<email>', 'of a person, with an account or without one']],
    options: [['--role <role>', 'admin or member (default: member)']],
    run: async (request, service, { inviteAsOperator, workspaceOf }) => {
      const role = roleOption(option(request, 'role'))
      const workspace = await workspaceOf(service, argument(request, 0))
      const wanted = { email: typedArgument(request, 1), role }
      const ctx = { people: service, by: operator, now: service.now() }
      const { email, url } = granted(await inviteAsOperator(ctx, workspace, wanted))
      return { workspace: workspace.slug, email, role, link: url }
    },
    show: ({ link }) => link,
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
  ...commandOf(workspaces.changeRole, {
    run: async (request, service, stores) => {
      const role = roleIn(typedArgument(request, 2))
      const { email, ...at } = await memberNamed(request, service, stores)
      await stores.perform(service, stores.changedRole, at, { role })
      return { workspace: at.workspace.slug, email, role }
    },
    show: ({ workspace, email, role }) => `${line(email)} now has the role ${role} in ${workspace}.`,
  }),
  ...commandOf(workspaces.removeMember, {
    run: async (request, service, stores) => {
      const { email, ...at } = await memberNamed(request, service, stores)
      await stores.perform(service, stores.removedMember, at, undefined)
      return { workspace: at.workspace.slug, email, removed: true }
    },
    show: ({ workspace, email }) => `${line(email)} is no longer a member of ${workspace}.`,
  }),
}

/** Finds the workspace and the member that the first two arguments name. */
async function memberNamed(request: Request, service: Service, { findNamed, membersOf, workspaceOf }: Stores) {
  const { db } = service.store
  const workspace = await workspaceOf(service, argument(request, 0))
  const typed = typedArgument(request, 1)
  const email = (await findNamed(db, typed))?.email
  const member = (await membersOf(db, workspace, { id: '' })).find((each) => each.email === email)
  if (!member) throw new Missing(`${line(typed)} is not a member of the workspace ${workspace.slug}.`)
  return { email: member.email, workspace, params: { slug: workspace.slug, id: member.id } }
}
