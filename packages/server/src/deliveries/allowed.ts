/** SVC_OUTBOUND_ALLOW: networks that may be called though they are not public. */
import { isIP } from 'node:net'

/** CIDR, or single addresses. */
export type Allowed = readonly string[]

/** Reads the list of the setting; undefined where a part of it is no network. */
export function readAllowed(text: string): Allowed | undefined {
  const parts = text.split(/[\s,]+/).filter(Boolean)
  return parts.every((part) => isIP(part) !== 0 || isNetwork(part)) ? parts : undefined
}

function isNetwork(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/')
  const max = isIP(address) === 4 ? 32 : 128
  return more.length === 0 && isIP(address) !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= max
}
