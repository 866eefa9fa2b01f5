import { command } from '../shared/command.ts'
import { argument, asOperator, granted, Misused, option } from '../shared/request.ts'
import { moment, table } from '../shared/show.ts'

const id: [string, string] = ['<id>', 'lowercase letters, digits and underscores']

export const productCommands = {
  'product add': command({
    says: 'add a product whose bots agents may use, and show its secret, once',
    args: [id],
    options: [['--origin <url>', 'where it answers, such as https://tasks.example.org']],
    run: async (call) => {
      const { addProduct } = await import('../../fleet/products/store.ts')
      const origin = option(call, 'origin')
      if (origin === undefined) throw new Misused('A product needs an origin: --origin URL')
      const { product, secret } = granted(await addProduct(asOperator(call), { id: argument(call, 0), origin }))
      return { id: product.id, origin: product.origin, secret }
    },
    show: ({ id, secret }) => `Added the product ${id}. Its secret, shown this once:\n\n  ${secret}`,
  }),
  'product list': command({
    says: 'all products',
    run: async ({ store }) => {
      const { listProducts } = await import('../../fleet/products/store.ts')
      return listProducts(store.db)
    },
    show: (all) =>
      table(
        ['PRODUCT', 'ORIGIN', 'ADDED'],
        all.map((p) => [p.id, p.origin, moment(p.createdAt)]),
        'No products yet, except this service itself (svc).',
      ),
  }),
  'product remove': command({
    says: 'remove a product with its bots; workspaces are no longer activated for it',
    args: [id],
    run: async (call) => {
      const { removeProduct } = await import('../../fleet/products/store.ts')
      granted(await removeProduct(asOperator(call), argument(call, 0)))
      return { id: argument(call, 0), removed: true }
    },
    show: ({ id }) => `Removed the product ${id}.`,
  }),
}
