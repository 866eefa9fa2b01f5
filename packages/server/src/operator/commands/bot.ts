import { blueprints } from '@svc/api'
import { shown } from '@svc/protocol'
import { commandOf } from '../shared/command.ts'
import { inWorkspace, partsOf, workspaceOf } from '../shared/params.ts'
import { perform } from '../shared/perform.ts'
import { argument, type CommandCall, Missing, option } from '../shared/request.ts'
import { moment, table } from '../shared/show.ts'

export const botCommands = {
  ...commandOf(blueprints.bots, {
    at: inWorkspace,
    run: async ({ store, now }, { workspace }) => {
      const { listBots } = await import('../../fleet/bots/store.ts')
      return listBots(store.db, workspace, now())
    },
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
    at: botsOf,
    run: async (call, { workspace, bots, name }) => {
      let revoked = 0
      for (const { id } of bots) revoked += (await perform(call, blueprints.revokeBot, { workspace, id })).revoked
      return { name, revoked }
    },
    show: ({ name, revoked }) => `Revoked ${revoked === 1 ? 'one token' : `${revoked} tokens`} of the bot ${name}.`,
  }),
  ...commandOf(blueprints.deleteBot, {
    at: botsOf,
    run: async (call, { workspace, bots, name }) => {
      for (const { id } of bots) await perform(call, blueprints.deleteBot, { workspace, id })
      return { name, deleted: bots.length }
    },
    show: ({ name }) => `Deleted the bot ${name}. Its tokens are now refused.`,
  }),
}

/**
 * The bots with the name that the argument `SLUG/NAME` gives: one for each product, or with `--product` only the one of
 * that product. Throws if there is none.
 */
async function botsOf(call: CommandCall) {
  const { botsNamed } = await import('../../fleet/bots/store.ts')
  const { slug, name } = partsOf(argument(call, 0), 'A bot is named SLUG/NAME')
  const workspace = await workspaceOf(call, slug)
  const bots = await botsNamed(call.store.db, workspace, name, option(call, 'product'))
  if (bots.length === 0) throw new Missing(`There is no such bot ${shown(name)} in the workspace ${shown(slug)}.`)
  return { workspace, bots, name }
}
