import { listedChanges } from '@svc/api/left-off'
import { figure } from '../../../ui/time/format.ts'

interface LeftOffProps {
  /** The maximum number of changes that were requested. */
  limit: number
  /** Called with a higher maximum when the person asks for older changes. */
  onMore: (limit: number) => void
}

/** Says that older changes of this period are not listed, and offers more of them. */
const LeftOff = ({ limit, onMore }: LeftOffProps) => (
  <p className="ag-quiet ag-left-off">
    These are the newest {figure(limit)} changes of this time.{' '}
    {limit < listedChanges.max && (
      <button type="button" className="ag-more" onClick={() => onMore(listedChanges.max)}>
        List older ones, too
      </button>
    )}
  </p>
)
export default LeftOff
