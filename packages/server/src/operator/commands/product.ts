import { command } from '../shared/command.ts'
import { argument, granted, Misused, operator, option } from '../shared/request.ts'
import { moment, table } from '../shared/show.ts'

const id: [string, string] = ['<id>', 'lowercase letters, digits and underscores']

export const productCommands = {
  'product add': command({
    says: 'add a product whose bots agents may use, and show its secret, once',
    args: [id],
    options: [['--origin <url>', 'where it answers, such as https://tasks.example.org']],
    run: async (request, { store, now }, { addProduct }) => {
      const origin = option(request, 'origin')
      if (origin === undefined) throw new Misused('A product needs an origin: --origin URL')
      const wanted = { id: argument(request, 0), origin }
      const { product, secret } = granted(await addProduct({ db: store.db, by: operator, now: now() }, wanted))
      return { id: product.id, origin: product.origin, secret }
    },
    show: ({ id, secret }) => `Added the product ${id}. Its secret, shown this once:\n\n  ${secret}`,
  }),
  'product list': command({
    says: 'all products',
    run: (_, { store }, { listProducts }) => listProducts(store.db),
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
    run: async (request, { store, now }, { removeProduct }) => {
      granted(await removeProduct({ db: store.db, by: operator, now: now() }, argument(request, 0)))
      return { id: argument(request, 0), removed: true }
    },
    show: ({ id }) => `Removed the product ${id}.`,
  }),
}
