/**
 * What the runtime notes of its attempts, `.svc/journal/self-update.json`: written before each, so that one that ends the runtime with it is
 * not tried for ever, and so that nobody swaps the agent's version meanwhile (D31).
 */
import { writeDurably } from '../files/durable.ts'
import { type Folder, prepare } from '../files/folder.ts'
import { readJsonObject } from '../files/read.ts'

export interface AttemptNote {
  /** `swapping`: the launcher was asked. `ended`: with an outcome, or the wish was taken back. */
  readonly is: 'trying' | 'swapping' | 'ended'
  readonly wish: string
  /** When it began, or ended: Unix ms. */
  readonly at: number
  /** How often it was begun in a row without an end. */
  readonly begun: number
  /** An answer came that wished for it no more. */
  readonly closed?: boolean
}

export function writeAttempt(folder: Folder, note: AttemptNote): void {
  prepare(folder)
  writeDurably(folder.selfUpdate, `${JSON.stringify(note)}\n`, 0o600)
}

export function readAttempt(folder: Pick<Folder, 'selfUpdate'>): AttemptNote | undefined {
  const { is, wish, at, begun, closed } = readJsonObject(folder.selfUpdate, 65_536) ?? {}
  if ((is !== 'trying' && is !== 'swapping' && is !== 'ended') || typeof wish !== 'string') return undefined
  return {
    is,
    wish,
    at: typeof at === 'number' ? at : 0,
    begun: typeof begun === 'number' ? begun : 0,
    ...(closed === true && { closed }),
  }
}
