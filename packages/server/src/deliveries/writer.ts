/** The texts of messages as deliveries store them. The alerts write them; the deliveries only store and send them. */
import type { AlertChannelRow, AlertDeliveryRow } from '../platform/db/tables.ts'
import type { MessageText } from './channels/call.ts'

/** The change that a delivery is about, stored as JSON. Only the writer of messages reads more of it than the id. */
export type StoredChange = { id: string }

/** A message as it is sent: the text for chats and mails, the body for webhooks. */
export interface WrittenMessage {
  text: MessageText
  body: string
  /** The address of the page on which people change the channel. */
  settingsUrl?: string
}

/** Writes messages from changes. All changes passed to one call belong to the same workspace, or to the service. */
export interface MessageWriter<C extends StoredChange> {
  /** Leaves out the changes that are not worth sending any longer. */
  fold(changes: readonly C[]): readonly C[]
  write(channel: AlertChannelRow, changes: readonly C[], now: number): WrittenMessage
  test(workspace: string, channel: AlertChannelRow, now: number): WrittenMessage
}

/** The changes of a delivery; undefined if they cannot be read, as may happen if a newer version stored them. */
export function deliveryChangesOf<C extends StoredChange>({
  changes,
}: Pick<AlertDeliveryRow, 'changes'>): C[] | undefined {
  const read = parsed(changes)
  const isChange = (one: unknown) => typeof (one as C | null)?.id === 'string'
  return Array.isArray(read) && read.every(isChange) ? (read as C[]) : undefined
}

/** The stored message of a delivery; undefined if it was not written yet, or cannot be read. */
export function writtenMessageOf({ body }: Pick<AlertDeliveryRow, 'body'>): WrittenMessage | undefined {
  const read = parsed(body ?? 'null') as WrittenMessage | null | undefined
  return typeof read?.body === 'string' && typeof read.text?.title === 'string' ? read : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
