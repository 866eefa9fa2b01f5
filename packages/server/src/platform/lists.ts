/** Sorts and cuts lists. */
import { setImmediate } from 'node:timers/promises'

/** Compares names as people do: digits as numbers, so that `agent-2` comes before `agent-10`. */
export const byText = new Intl.Collator('en', { numeric: true }).compare

/** Yields a list in pieces, each in another turn of the event loop, so that reports are answered in between. */
export async function* piecesInTurns<T>(all: readonly T[], size: number): AsyncGenerator<readonly T[]> {
  for (let i = 0; i < all.length; i += size) {
    if (i > 0) await setImmediate()
    yield all.slice(i, i + size)
  }
}

/** A list in pieces of at most `size` items. */
export const piecesOf = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size))
