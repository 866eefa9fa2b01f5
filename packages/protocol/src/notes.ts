/**
 * What reading a status file did not keep (2.11, D55): fields note it while they read, each at the place where it stands.
 * A report is read without notes: the service cuts and drops in silence (2.1).
 */
import { clean, cut } from './text.ts'

/** Most places that are told; a health line has room for no more. */
const most = 10

export class Notes {
  /** Where the reader stands: the keys and `[indices]` from the root. */
  readonly #path: string[] = []
  #unknown: string[] = []
  #dropped: string[] = []

  get unknownPaths(): string[] {
    return this.#unknown.slice(0, most)
  }
  get droppedPaths(): string[] {
    return this.#dropped.slice(0, most)
  }

  /** A property that the contract does not know. */
  unknown(key: string): void {
    if (this.#unknown.length < most) this.#unknown.push(this.#at(key))
  }

  /** What stands here cannot be kept. */
  drop(): void {
    if (this.#dropped.length < most) this.#dropped.push(this.#at())
  }

  /** Reads one part one step further in. Of a part that is dropped whole, only that is told. */
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

/** A key as it may stand in a sentence. */
const shown = (step: string): string => cut(clean(step), 40) || '""'
