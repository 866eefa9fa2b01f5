/**
 * Tests the three programs with which docs/alerts.md verifies a webhook, with requests as the service sends them. `npm
 * test` leaves this out. packages/server/src/deliveries/channels/channels.test.ts proves the same rules.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newSigningSecret, webhook } from '../../packages/server/src/deliveries/channels/webhook.ts'

const body = JSON.stringify({ type: 'alert.opened', data: { summary: 'über "mail"' } })
const secret = newSigningSecret()

function signed(at: number): string[] {
  const text = { title: '', lines: [], url: '', level: null }
  const { headers } = webhook({ url: 'https://example.org', secret }, { id: 'd1', text, body, at })
  return ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => headers[name] ?? '')
}

describe.each([
  ['Node', process.execPath, 'verify.mjs'],
  ['Python', 'python3', 'verify.py'],
  ['a shell', 'sh', 'verify.sh'],
])('a webhook is verified in %s', (_language, program, file) => {
  const says = (args: string[], input: string) =>
    spawnSync(program, [join(import.meta.dirname, file), secret, ...args], { input, encoding: 'utf8' }).stdout.trim()

  test('where it is genuine', () => {
    expect(says(signed(Date.now()), body)).toBe('genuine')
  })

  test('and refused where its body, its id or its time is another one, or it is ten minutes old', () => {
    const [id = '', time = '', signature = ''] = signed(Date.now())
    expect(says([id, time, signature], `${body} `)).toBe('forged')
    expect(says(['d2', time, signature], body)).toBe('forged')
    expect(says([id, String(Number(time) - 1), signature], body)).toBe('forged')
    expect(says(signed(Date.now() - 600_000), body)).toBe('forged')
  })

  test('also while the secret is replaced and two signatures are sent', () => {
    const [id = '', time = '', signature = ''] = signed(Date.now())
    expect(says([id, time, `v1,AAAA ${signature}`], body)).toBe('genuine')
  })
})
