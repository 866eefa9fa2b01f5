import { blueprints } from '@svc/api'
import { shown } from '@svc/protocol'
import { commandOf, type Stores } from '../shared/command.ts'
import { argument, Missing, option, partsOf, type Request, type Service } from '../shared/request.ts'
import { moment, table } from '../shared/show.ts'

export const botCommands = {
  ...commandOf(blueprints.bots, {
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
  ...commandOf(blueprints.revokeBot, {
    run: async (request, service, stores) => {
      const { workspace, bots, name } = await botsOf(request, service, stores)
      let revoked = 0
      for (const { id } of bots) {
        const at = { workspace, params: { slug: workspace.slug, id } }
        revoked += (await stores.perform(service, stores.revokedBot, at, undefined)).revoked
      }
      return { name, revoked }
    },
    show: ({ name, revoked }) => `Revoked ${revoked === 1 ? 'one token' : `${revoked} tokens`} of the bot ${name}.`,
  }),
  ...commandOf(blueprints.deleteBot, {
    run: async (request, service, stores) => {
      const { workspace, bots, name } = await botsOf(request, service, stores)
      for (const { id } of bots) {
        const at = { workspace, params: { slug: workspace.slug, id } }
        await stores.perform(service, stores.deletedBot, at, undefined)
      }
      return { name, deleted: bots.length }
    },
    show: ({ name }) => `Deleted the bot ${name}. Its tokens are now refused.`,
  }),
}

/**
 * The bots with the name that the argument `SLUG/NAME` gives: one for each product, or with `--product` only the one of
 * that product. Throws if there is none.
 */
async function botsOf(request: Request, service: Service, { workspaceOf, botsNamed }: Stores) {
  const { slug, name } = partsOf(argument(request, 0))
  const workspace = await workspaceOf(service, slug)
  const bots = await botsNamed(service.store.db, workspace, name, option(request, 'product'))
  if (bots.length === 0) throw new Missing(`There is no such bot ${shown(name)} in the workspace ${shown(slug)}.`)
  return { workspace, bots, name }
}
