/** Decides which files in the folder of a job are no longer needed. Pure: names in, names out. */
import { idOf, maxAheadMs, placeOf } from './ids.ts'

/** The newest runs of a job that are kept. */
const keptRuns = 100
const day = 86_400_000

/**
 * Returns the names of the records of all but the newest runs, at `now` in Unix milliseconds, and of what killed runs
 * have left. The record of the run `own` is kept, and so are those of older runs that live, since a run that hangs is
 * noticed by its record. Runs that lie far ahead, since the clock was wrong, go first.
 */
export function surplus(
  names: readonly string[],
  own: string,
  now: number,
  lives: (id: string) => boolean = () => false,
): string[] {
  const age = (id: string): number => {
    const at = placeOf(id)
    return at > now + maxAheadMs ? Number.POSITIVE_INFINITY : now - at
  }
  const ids = names
    .flatMap((name) => idOf(name) ?? [])
    .sort((a, b) => Number(b === own) - Number(a === own) || age(a) - age(b))
  const old = ids.slice(keptRuns).filter((id) => !lives(id))
  const kept = new Set(ids)
  for (const id of old) kept.delete(id)
  const left = names.filter((name) => {
    const [, id = own, ending] = /^\.?(\d{1,15}-[0-9a-z]{1,16})\.(run|json\.\d+\.tmp)$/.exec(name) ?? []
    return now - placeOf(id) > day && !(ending === 'run' && kept.has(id)) && id !== own
  })
  return [...old.map((id) => `${id}.json`), ...left]
}
