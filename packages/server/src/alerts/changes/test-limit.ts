import { countSend } from '../../people/accounts/sends.ts'
import type { Db } from '../../platform/db/open.ts'

/**
 * Counts a test of a channel, unless the channel or the person has reached the limit. `personId` is null for the
 * operator. Must run in the transaction that queues the test.
 */
export const countTest = (trx: Db, channelId: string, personId: string | null, now: number) =>
  countSend(trx, [['test_channel', channelId], ...(personId === null ? [] : [['test_person', personId] as const])], now)
