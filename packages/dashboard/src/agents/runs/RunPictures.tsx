import type { Run } from '@svc/protocol'
import { RunBars } from '../../ui/charts/RunBars.tsx'
import { dollars, lastingText } from '../../ui/index.ts'
import { picturesOf } from './pictures.ts'

/** Shows how long the listed runs took and what they cost, the oldest on the left. */
export function RunPictures({ runs }: { runs: readonly Run[] }) {
  const { length, cost } = picturesOf(runs)
  if (length === null && cost === null) return null
  return (
    <div className="ag-run-pictures">
      {length && (
        <figure>
          <figcaption>
            Duration <span className="ag-quiet">max {lastingText(length.max * 1000)}</span>
          </figcaption>
          <RunBars title={length.title} bars={length.bars} />
        </figure>
      )}
      {cost && (
        <figure>
          <figcaption>
            Cost <span className="ag-quiet">max {dollars(cost.max)}</span>
          </figcaption>
          <RunBars title={cost.title} bars={cost.bars} />
        </figure>
      )}
    </div>
  )
}
