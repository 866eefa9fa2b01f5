/** The source of work for the dispatcher: an interface that channels and mails implement. */
import type { DueWork } from './slots.ts'

/** A kind of work that the dispatcher does. No two sources have work with the same id. */
export interface DeliverySource {
  /** Returns the work that is due and that no other node has taken. */
  due(now: number): Promise<readonly DueWork[]>
  /** Does one piece of due work. Resolves with 0 if nothing was tried, otherwise with a positive number. */
  serve(work: DueWork, stop: AbortSignal): Promise<number>
}
