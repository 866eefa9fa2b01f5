/** The order of the folders in packages/blueprint/src. */
import type { Order } from '../order.ts'

export const blueprintOrder: Order = {
  layers: [
    {
      'index.ts': 'what other packages may import',
    },
    {
      folder: "the folder of a blueprint on its author's disk: checked, and packed into a bundle",
    },
    {
      bundle: 'acceptance of a bundle: rules for its paths and entries, unpacking',
    },
    {
      manifest: '`svc.agent.yaml`: read and checked; findings with their lines',
    },
    {
      zip: 'zip archives, read and written',
      'key.ts': 'the key of a path: equal for paths that a file system treats as the same',
      'read-file.ts': 'small files, read: missing, unreadable with the reason, or content',
    },
  ],
  exceptions: [],
}
