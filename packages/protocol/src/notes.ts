/**
 * Collects what a status file contained that was not kept (2.11, D55). Fields note it while they read, with its place.
 * A report is read without notes, since the service cuts and drops silently (2.1).
 */
import { clean, cut } from './text.ts'

/** Maximum number of places that are listed; a health line has no room for more. */
const maxPlaces = 10

export class Notes {
  /** The place in the input that is being read: keys and `[indices]`, from the root. */
  readonly #path: string[] = []
  #unknown: string[] = []
  #dropped: string[] = []

  get unknownPaths(): string[] {
    return this.#unknown.slice(0, maxPlaces)
  }
  get droppedPaths(): string[] {
    return this.#dropped.slice(0, maxPlaces)
  }

  /** Notes a property that the contract does not know. */
  unknown(key: string): void {
    if (this.#unknown.length < maxPlaces) this.#unknown.push(this.#at(key))
  }

  /** Notes that the value at the current place cannot be kept. */
  drop(): void {
    if (this.#dropped.length < maxPlaces) this.#dropped.push(this.#at())
  }

  /** Reads one part, one step deeper. If the whole part is dropped, only that is noted, and nothing inside it. */
  step<T>(step: string, read: (input: unknown, notes: Notes) => T | undefined, input: unknown): T | undefined {
    const unknown = this.#unknown.length
    const dropped = this.#dropped.length
    this.#path.push(step)
    const kept = read(input, this)
    if (kept === undefined) {
      this.#unknown.length = unknown
      this.#dropped.length = dropped
      this.drop()
    }
    this.#path.pop()
    return kept
  }

  #at(...more: string[]): string {
    const [first = '', ...rest] = [...this.#path, ...more].map(shown)
    return rest.reduce((path, step) => (step.startsWith('[') ? path + step : `${path}.${step}`), first)
  }
}

/** A key, cleaned and cut for use in a sentence. */
const shown = (step: string): string => cut(clean(step), 40) || '""'
