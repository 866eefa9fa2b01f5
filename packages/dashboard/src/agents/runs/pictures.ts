/** The pictures above a list of runs: their lengths and their costs. Pure. */
import { type Run, runSeconds } from '@svc/protocol'
import { type RunBar, runsAndFailedText } from '../../ui/charts/RunBars.tsx'
import { dollars, lastingText } from '../../ui/index.ts'
import { runTone } from '../parts/tones.ts'

interface RunPicture {
  bars: RunBar[]
  /** The largest value: seconds or dollars. */
  max: number
  title: string
}

/** Fewer runs make no picture. */
const minRuns = 3

/** The pictures of runs that are listed from the newest to the oldest; null where too few have a value. */
export function picturesOf(runs: readonly Run[]): { length: RunPicture | null; cost: RunPicture | null } {
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
