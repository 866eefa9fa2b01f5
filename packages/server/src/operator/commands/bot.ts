/** Commands for products and their bots. */
import { blueprints } from '@svc/api'
import { shown } from '@svc/protocol'
import { defineCommand, operationCommand } from '../shared/command.ts'
import { findWorkspaceNamed, inWorkspace, slugAndNameOf } from '../shared/params.ts'
import { perform } from '../shared/perform.ts'
import {
  argument,
  asOperator,
  type CommandCall,
  grantedToOperator,
  MissingError,
  option,
  UsageError,
} from '../shared/request.ts'
import { tableText, timeText } from '../shared/show.ts'

const id: [string, string] = ['<id>', 'lowercase letters, digits and underscores']

export const productCommands = {
  'product add': defineCommand({
    says: 'add a product whose bots agents may use, and show its secret, once',
    args: [id],
    options: [['--origin <url>', 'where it answers, such as https://tasks.example.org']],
    run: async (call) => {
      const { addProduct } = await import('../../fleet/products/store.ts')
      const origin = option(call, 'origin')
      if (origin === undefined) throw new UsageError('A product needs an origin: --origin URL')
      const { product, secret } = grantedToOperator(
        await addProduct(asOperator(call), { id: argument(call, 0), origin }),
      )
      return { id: product.id, origin: product.origin, secret }
    },
    show: ({ id, secret }) => `Added the product ${id}. Its secret, shown this once:\n\n  ${secret}`,
  }),
  'product list': defineCommand({
    says: 'all products',
    run: async ({ store }) => {
      const { listProducts } = await import('../../fleet/products/store.ts')
      return listProducts(store.db)
    },
    show: (all) =>
      tableText(
        ['PRODUCT', 'ORIGIN', 'ADDED'],
        all.map((p) => [p.id, p.origin, timeText(p.createdAt)]),
        'No products yet, except this service itself (svc).',
      ),
  }),
  'product remove': defineCommand({
    says: 'remove a product with its bots; workspaces are no longer activated for it',
    args: [id],
    run: async (call) => {
      const { removeProduct } = await import('../../fleet/products/store.ts')
      grantedToOperator(await removeProduct(asOperator(call), argument(call, 0)))
      return { id: argument(call, 0), removed: true }
    },
    show: ({ id }) => `Removed the product ${id}.`,
  }),
}

export const botCommands = {
  ...operationCommand(blueprints.bots, {
    at: inWorkspace,
    run: async ({ store, now }, { workspace }) => {
      const { listBots } = await import('../../fleet/bots/store.ts')
      return listBots(store.db, workspace, now())
    },
    show: (all) =>
      tableText(
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
                timeText(t.lastUsedAt),
                timeText(t.expiresAt),
              ]),
        ),
        'No bots yet. A bot is created when an agent is installed whose blueprint names another product.',
      ),
  }),
  ...operationCommand(blueprints.revokeBot, {
    at: findBots,
    run: async (call, { workspace, bots, name }) => {
      let revoked = 0
      for (const { id } of bots) revoked += (await perform(call, blueprints.revokeBot, { workspace, id })).revoked
      return { name, revoked }
    },
    show: ({ name, revoked }) => `Revoked ${revoked === 1 ? 'one token' : `${revoked} tokens`} of the bot ${name}.`,
  }),
  ...operationCommand(blueprints.deleteBot, {
    at: findBots,
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
async function findBots(call: CommandCall) {
  const { botsNamed } = await import('../../fleet/bots/store.ts')
  const { slug, name } = slugAndNameOf(argument(call, 0), 'A bot is named SLUG/NAME')
  const workspace = await findWorkspaceNamed(call, slug)
  const bots = await botsNamed(call.store.db, workspace, name, option(call, 'product'))
  if (bots.length === 0) throw new MissingError(`There is no such bot ${shown(name)} in the workspace ${shown(slug)}.`)
  return { workspace, bots, name }
}
