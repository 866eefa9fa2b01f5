/** The setting SVC_OUTBOUND_ALLOW: networks to which alerts may be sent although they are not public. */
import { isIP } from 'node:net'

/** Networks in CIDR notation, or single addresses, to which alerts may be sent although they are not public. */
export type Allowed = readonly string[]

/** Reads the list in the setting; undefined if a part of it is neither an address nor a network. */
export function readAllowed(text: string): Allowed | undefined {
  const parts = text.split(/[\s,]+/).filter(Boolean)
  return parts.every((part) => isIP(part) !== 0 || isNetwork(part)) ? parts : undefined
}

function isNetwork(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/')
  const max = isIP(address) === 4 ? 32 : 128
  return more.length === 0 && isIP(address) !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= max
}
