/** Second factors in the browser tests: the codes of an authenticator app, and people who have added one. */
import { createHmac } from 'node:crypto'
import type { NewTotp, RecoveryCodes } from '@svc/api'
import type { BrowserSetup, Visitor } from './browser-setup.ts'

const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/**
 * The code that the app with this secret shows now (RFC 6238, RFC 4226). The service forgets that it was used, so that
 * no test waits half a minute for the next one.
 */
export function codeOf(setup: BrowserSetup, secret: string): string {
  setup.forgetUsedCodes()
  const bits = [...secret].map((letter) => base32.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const step = Buffer.alloc(8)
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)))
  const hash = createHmac('sha1', key).update(step).digest()
  const at = (hash.at(-1) ?? 0) & 15
  return String((hash.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

/**
 * Adds an authenticator app to the account of a visitor without the page. Returns its secret and the recovery codes.
 */
export async function addFactor(
  setup: BrowserSetup,
  { call }: Visitor,
): Promise<{ secret: string; recovery: string[] }> {
  const { secret } = await call<NewTotp>('POST', '/api/web/factors/totp')
  const code = codeOf(setup, secret)
  const { recovery } = await call<RecoveryCodes>('POST', '/api/web/factors/totp/confirm', { code })
  return { secret, recovery }
}
