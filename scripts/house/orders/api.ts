/** The order of the folders in packages/api/src. */
import type { Order } from '../order.ts'

export const apiOrder: Order = {
  layers: [
    {
      'index.ts': 'what other packages may import',
      'help.ts': 'the index of the help, and the search in it',
    },
    {
      operations: 'the description of each operation, by what it is about',
    },
    {
      'operation.ts': 'the form of a description: route, role, input, answer, notified pages',
    },
    {
      'bounds.ts': 'the largest answer of each operation that reads',
      'input.ts': 'the fields of inputs',
    },
    {
      filter: 'the filter of agents: read, checked, applied to rows',
    },
    {
      answers: 'the answers of operations',
    },
    {
      words: 'words that service and page share, and the names to which they belong',
      'left-off.ts': 'what an answer leaves off because it would be too large',
      'clock.ts': 'the clock of the service as the page follows it',
      'refused.ts': 'the error of a request that was refused',
    },
  ],
  exceptions: [],
}
