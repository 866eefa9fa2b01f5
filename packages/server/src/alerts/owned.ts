/**
 * Finds the channels of one owner, and the deliveries to them. Every operation of a person goes through these queries,
 * so nobody reaches the personal channels of somebody else.
 */
import type { Db } from '../platform/db/open.ts'

/** The owner of the channels that belong to a workspace, or to the service, and not to a person. */
export const shared = ''

/** `owner` is the id of a person, or `shared`. */
export const channelsOwned = (db: Db, { id }: { id: string }, owner: string) =>
  db.selectFrom('alert_channel').where('scope', '=', id).where('owner', '=', owner)

export const deliveriesOwned = (db: Db, { id }: { id: string }, owner: string) =>
  db
    .selectFrom('alert_delivery')
    .innerJoin('alert_channel', 'alert_channel.id', 'channel_id')
    .where('scope', '=', id)
    .where('owner', '=', owner)
