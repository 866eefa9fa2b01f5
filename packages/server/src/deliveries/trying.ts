/**
 * Makes one try to send a message to a channel. Whatever goes wrong is a result, since the next try follows from it.
 */

import { type SealKey, unseal } from '../platform/seal.ts'
import { type AttemptLimits, attempt, wordsOf } from './attempt.ts'
import type { Address } from './channels/call.ts'
import { kinds } from './channels/kinds.ts'
import type { ClaimedDelivery } from './claiming.ts'
import type { TryResult } from './outbox.ts'
import { shownOf } from './reading.ts'
import { send } from './send.ts'
import type { Senders } from './senders.ts'
import type { AllowedNetworks } from './target.ts'

export interface TryParts extends AttemptLimits {
  key: SealKey
  allowed: AllowedNetworks
  senders: Senders
}

/** The address of a channel; undefined if it was encrypted with another key, or cannot be read. */
export function openAddress({ channel }: Pick<ClaimedDelivery, 'channel'>, key: SealKey): Address | undefined {
  const text = unseal(key, channel.id, channel.sealed)
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Address)
  } catch {
    return undefined
  }
}

/** Tries once to send a message. Nothing that the receiver says reveals the secrets of the address afterwards. */
export async function tryOnce(
  { channel, row, written: message }: ClaimedDelivery,
  address: Address,
  { key, allowed, senders, stop, withinMs, names }: TryParts,
  at: number,
): Promise<TryResult> {
  const delivery = { id: row.id, ...message, at }
  const limits = { stop, withinMs, names, isAwaited: row.kind === 'test' }
  const sender = senders[channel.kind]
  if (sender) return sender(address, delivery, limits)
  const { channel: write, goneAt404 } = kinds[channel.kind]
  if (!write) return { is: 'refused', message: `Channels of the kind ${channel.kind} are not sent yet.` }
  const written = await attempt(async () => write(address, delivery, key), limits)
  if (written.is === 'stopped') return written
  if (written.is !== 'done')
    return {
      is: 'refused',
      message: written.is === 'late' ? 'It could not be written in time.' : wordsOf(written.error),
    }
  const answer = await send(written.value, { allowed, ...limits })
  if (answer.is !== 'status') return answer
  const { redirect, ...rest } = answer
  return {
    ...rest,
    message: withoutSecrets(answer.message, address),
    ...(answer.status === 404 && goneAt404 && { gone: true }),
    ...(redirect !== undefined && { redirect: shownRedirect(redirect, channel.kind, address) }),
  }
}

/** A secret that is shorter than this would also be found in other words. */
const minSecret = 8

/** Removes the secrets of an address from what the receiver said, since some receivers repeat a request. */
function withoutSecrets(text: string, { url, secret }: Address): string {
  const secrets = [secret, url && pathOf(url)].filter((one) => one !== undefined && one.length >= minSecret)
  return secrets.reduce<string>((left, one) => left.replaceAll(one ?? '', '…'), text)
}

const pathOf = (url: string): string => {
  const { pathname = '', search = '' } = URL.parse(url) ?? {}
  return pathname + search
}

/** The address to which a receiver redirects, as far as it may be shown. */
function shownRedirect(redirect: string, kind: ClaimedDelivery['channel']['kind'], { secret }: Address): string {
  const hasSecret = secret !== undefined && redirect.includes(secret)
  return shownOf({ urlIsSecret: kinds[kind].urlIsSecret || hasSecret }, { url: redirect })
}
