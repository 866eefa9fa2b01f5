/**
 * Collects the paths of the parts of a status file that were not kept (2.11, D55). The readers of fields (fields.ts)
 * note them. Reports are read without notes, since the service cuts and drops their parts silently (2.1).
 */
import { clean, cut } from './text.ts'

/**
 * The maximum number of paths in each of the two lists, unknown and dropped. The health item that shows them has no
 * room for more.
 */
const maxPlaces = 10

export class Notes {
  /** The path of the part of the status file that is being read: keys and `[indices]`, from the root. */
  readonly #path: string[] = []
  #unknown: string[] = []
  #dropped: string[] = []

  get unknownPaths(): string[] {
    return this.#unknown.slice(0, maxPlaces)
  }
  get droppedPaths(): string[] {
    return this.#dropped.slice(0, maxPlaces)
  }

  /** Adds the path of a property that the contract does not know to the list of unknown properties. */
  unknown(key: string): void {
    if (this.#unknown.length < maxPlaces) this.#unknown.push(this.#at(key))
  }

  /** Adds the current path to the list of dropped parts. */
  drop(): void {
    if (this.#dropped.length < maxPlaces) this.#dropped.push(this.#at())
  }

  /**
   * Reads one part of the status file. `step` is its key or index, which is added to the path meanwhile. If the part is
   * dropped, only its path is listed, and no path inside it.
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

/** Cleans and cuts a key or an index of a path, so that it fits into a sentence. */
const shown = (step: string): string => cut(clean(step), 40) || '""'
