import type { FilterError } from '@svc/api/filter'
import { Text } from '../../ui/index.ts'
import { mistakeId } from './FilterField.tsx'

/** Says what is wrong with the filter, and what the list shows meanwhile. */
export const Mistake = ({ error, applied }: { error: FilterError; applied: string }) => (
  <p id={mistakeId} className="fleet-mistake" role="status">
    <strong>Not applied.</strong> <Text>{error.message}</Text>{' '}
    {applied === '' ? (
      'The list shows all agents.'
    ) : (
      <>
        The list still shows <Text mono>{applied}</Text>.
      </>
    )}
  </p>
)
