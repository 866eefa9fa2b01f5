import { shown } from '@svc/protocol'
import { command, type Stores } from '../kit/command.ts'
import { argument, granted, Missing, operator, option, partsOf, type Request, type Service } from '../kit/request.ts'
import { moment, table } from '../kit/show.ts'

const path: [string, string] = ['<slug/name>', 'the workspace and the name of the bot']
const product: [string, string] = ['--product <id>', 'only its bot in this product']

export const botCommands = {
  'bot list': command({
    says: 'the bots of a workspace, and which agents act as them',
    args: [['<slug>', "the workspace's short name"]],
    run: async (request, service, { workspaceOf, listBots }) =>
      listBots(service.store.db, await workspaceOf(service, argument(request, 0)), service.now()),
    show: (all) =>
      table(
        ['BOT', 'PRODUCT', 'ROLE', 'AGENT', 'TOKEN', 'SCOPES', 'LAST USE', 'GOOD UNTIL'],
        all.flatMap((bot) =>
          bot.tokens.length === 0
            ? [[bot.name, bot.product, bot.role, '-', 'none', '-', '-', '-']]
            : bot.tokens.map((t) => [
                bot.name,
                bot.product,
                bot.role,
                t.agent,
                t.state,
                t.scopes.join(' '),
                moment(t.lastUsedAt),
                moment(t.expiresAt),
              ]),
        ),
        'No bots yet. A bot is created when an agent is installed whose blueprint names another product.',
      ),
  }),
  'bot revoke': command({
    says: "revoke a bot's tokens; its product then refuses them",
    args: [path],
    options: [product],
    run: async (request, service, stores) => {
      const { workspace, bots, name } = await botsOf(request, service, stores)
      let revoked = 0
      for (const { id } of bots) {
        const done = granted(
          await stores.revokeBot({ db: service.store.db, by: operator, now: service.now() }, workspace, { id }),
        )
        for (const agentId of done.agentIds) service.live.changed(workspace.id, agentId)
        revoked += done.revoked
      }
      service.live.listChanged(workspace.id)
      return { name, revoked }
    },
    show: ({ name, revoked }) => `Revoked ${revoked === 1 ? 'one token' : `${revoked} tokens`} of the bot ${name}.`,
  }),
  'bot delete': command({
    says: 'delete a bot with its tokens; a workspace may have ten',
    args: [path],
    options: [product],
    run: async (request, service, stores) => {
      const { workspace, bots, name } = await botsOf(request, service, stores)
      for (const { id } of bots)
        granted(await stores.deleteBot({ db: service.store.db, by: operator, now: service.now() }, workspace, id))
      service.live.listChanged(workspace.id)
      return { name, deleted: bots.length }
    },
    show: ({ name }) => `Deleted the bot ${name}. Its tokens are now refused.`,
  }),
}

/** The bots of that name: one for each product, or only the one of the named product. */
async function botsOf(request: Request, service: Service, { workspaceOf, botsNamed }: Stores) {
  const { slug, name } = partsOf(argument(request, 0))
  const workspace = await workspaceOf(service, slug)
  const bots = await botsNamed(service.store.db, workspace, name, option(request, 'product'))
  if (bots.length === 0) throw new Missing(`There is no such bot ${shown(name)} in the workspace ${shown(slug)}.`)
  return { workspace, bots, name }
}
