import { command } from '../shared/command.ts'
import { Refused } from '../shared/request.ts'

export const secretCommands = {
  'secret adopt': command({
    says: "make this data folder's secret the one that all nodes on this PostgreSQL must have",
    run: async ({ store, config }) => {
      const { adoptSecret } = await import('../../platform/agreed.ts')
      if (store.engine !== 'postgres')
        throw new Refused('The embedded database has only one node, so its secret is already in use.')
      await adoptSecret(store, config.dataDir)
      return { adopted: true }
    },
    show: () =>
      'Adopted. Copy the file "secret" to the data folders of the other nodes and restart them. People who signed in with another secret must sign in again.',
  }),
}
