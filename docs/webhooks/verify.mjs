// Verifies a webhook of svc: node verify.mjs SECRET ID TIMESTAMP SIGNATURE < BODY
import { createHmac, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'

export function isGenuine(secret, { id, timestamp, signature }, body, now = Date.now()) {
  if (Math.abs(now / 1000 - Number(timestamp)) > 300) return false // an old request that somebody sends again
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  return signature.split(' ').some((one) => {
    const [version, text = ''] = one.split(',')
    const given = Buffer.from(text, 'base64')
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
  })
}

if (process.argv[1] === import.meta.filename) {
  const [secret, id, timestamp, signature] = process.argv.slice(2)
  const genuine = isGenuine(secret, { id, timestamp, signature }, readFileSync(0))
  console.log(genuine ? 'genuine' : 'forged')
  process.exitCode = genuine ? 0 : 1
}
