/**
 * Finds the channels of one owner, and the deliveries to them. All operations of people on channels go through these
 * queries, so nobody reaches the personal channels of somebody else.
 */
import type { Db } from '../platform/db/open.ts'
import type { ScopeRef } from './scope.ts'

/**
 * The owner of channels: a person within one workspace or, if `person` is missing, the workspace or the service itself.
 */
export interface ChannelOwner<Scope = ScopeRef> {
  scope: Scope
  person?: { id: string } | undefined
}

/** The stored owner of the channels that belong to a workspace, or to the service, and not to a person. */
export const sharedOwner = ''
/** Selects the channels of an owner. */
export const channelsOwned = (db: Db, { scope, person }: ChannelOwner<{ id: string }>) =>
  db
    .selectFrom('alert_channel')
    .where('scope', '=', scope.id)
    .where('owner', '=', person?.id ?? sharedOwner)

/** Selects the deliveries to the channels of an owner. */
export const deliveriesOwned = (db: Db, { scope, person }: ChannelOwner<{ id: string }>) =>
  db
    .selectFrom('alert_delivery')
    .innerJoin('alert_channel', 'alert_channel.id', 'channel_id')
    .where('scope', '=', scope.id)
    .where('owner', '=', person?.id ?? sharedOwner)
