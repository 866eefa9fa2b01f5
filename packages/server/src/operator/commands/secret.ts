import { adoptSecret } from '../../ops/agreed.ts'
import { command } from '../kit/command.ts'
import { Refused } from '../kit/request.ts'

export const secretCommands = {
  'secret adopt': command({
    says: "make this data folder's secret the one that all nodes on this PostgreSQL must have",
    run: async (_, { store, config }) => {
      if (store.engine !== 'postgres') throw new Refused('The embedded database has one node, and its secret counts.')
      await adoptSecret(store, config.dataDir)
      return { adopted: true }
    },
    show: () =>
      'Adopted. Copy the file "secret" to the data folders of the other nodes and restart them; whoever signed in with another one signs in again.',
  }),
}
