/** The source of work for the dispatcher: an interface that channels and mails implement. */
import type { DueWork } from './places.ts'

/** A kind of work that the dispatcher does. The ids of all sources together are different. */
export interface DeliverySource {
  /** Returns the work that is due and that no other node has taken. */
  due(now: number): Promise<readonly DueWork[]>
  /** Does something that is due. Resolves with the number of tries; it never takes much longer than a try may. */
  serve(work: DueWork, stop: AbortSignal): Promise<number>
}
