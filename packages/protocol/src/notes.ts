/**
 * Collects what a status file contained that was not kept (2.11, D55). Fields note it while they read, with its place.
 * A report is read without notes, since the service cuts and drops silently (2.1).
 */
import { clean, cut } from './text.ts'

/**
 * The maximum number of places that are listed for each of the two kinds, unknown and dropped. A health line has no
 * room for more.
 */
const maxPlaces = 10

export class Notes {
  /** The place in the status file that is being read: keys and `[indices]`, from the root. */
  readonly #path: string[] = []
  #unknown: string[] = []
  #dropped: string[] = []

  get unknownPaths(): string[] {
    return this.#unknown.slice(0, maxPlaces)
  }
  get droppedPaths(): string[] {
    return this.#dropped.slice(0, maxPlaces)
  }

  /** Adds a property that the contract does not know to the list of unknown ones. */
  unknown(key: string): void {
    if (this.#unknown.length < maxPlaces) this.#unknown.push(this.#at(key))
  }

  /** Adds the current place to the list of dropped ones, because its value cannot be kept. */
  drop(): void {
    if (this.#dropped.length < maxPlaces) this.#dropped.push(this.#at())
  }

  /**
   * Reads one part of the file, one step deeper. If the whole part is dropped, only that is listed, and nothing inside
   * it.
   */
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

/** A key or an index in a path, cleaned and cut for use in a sentence. */
const shown = (step: string): string => cut(clean(step), 40) || '""'
