import { type Run, runSeconds } from '@svc/protocol'
import { type RunBar, RunBars, runsAndFailedText } from '../../ui/charts/RunBars.tsx'
import { dollars, lastingText } from '../../ui/index.ts'
import { runTone } from '../parts/tones.ts'

/** Shows how long the listed runs took and what they cost, the oldest on the left. */
export function RunPictures({ runs }: { runs: readonly Run[] }) {
  const { length, cost } = runPicturesOf(runs)
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

// The values of the two pictures.

interface RunPicture {
  bars: RunBar[]
  /** The largest value: seconds or dollars. */
  max: number
  title: string
}

/** The minimum number of runs with a value for a picture. */
const minRuns = 3

/** The pictures of `runs`, which begin with the newest; null if too few runs have a value or all values are 0. */
export function runPicturesOf(runs: readonly Run[]): { length: RunPicture | null; cost: RunPicture | null } {
  const seconds = (run: Run) => runSeconds(run) ?? null
  return {
    length: pictureOf(runs, seconds, (max) => `The longest took ${lastingText(max * 1000)}`),
    cost: pictureOf(
      runs,
      ({ cost_usd }) => cost_usd ?? null,
      (max) => `The most expensive cost ${dollars(max)}`,
    ),
  }
}

function pictureOf(
  runs: readonly Run[],
  measure: (run: Run) => number | null,
  words: (max: number) => string,
): RunPicture | null {
  const bars = runs.map((run): RunBar => ({ value: measure(run), tone: runTone(run.status ?? '') })).reverse()
  const values = bars.flatMap(({ value }) => (value === null ? [] : [value]))
  const max = Math.max(0, ...values)
  if (values.length < minRuns || max === 0) return null
  return { bars, max, title: `${runsAndFailedText(bars)}. ${words(max)}` }
}
