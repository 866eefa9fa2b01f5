import { expect, test } from 'vitest'
import { elsewhereWords, isOwnMachineOnly } from './reach.ts'

test.each([
  'http://localhost:8787',
  'http://LOCALHOST',
  'https://localhost.:8443',
  'http://svc.localhost:8787',
  'http://localhost.localdomain:8787',
  'http://ip6-localhost:8787',
  'http://127.0.0.1:8787',
  'http://127.1:8787',
  'http://0x7f.0.0.1:8787',
  'http://2130706433:8787',
  'http://127.8.9.10',
  'http://0.0.0.0:8787',
  'http://0:8787',
  'http://[::1]:8787',
  'http://[0:0:0:0:0:0:0:1]:8787',
  'http://[::]:8787',
  'http://[::ffff:127.0.0.1]:8787',
  'http://[::ffff:0.0.0.0]:8787',
  'http://host.docker.internal:8787',
  'http://localhost:8787/w/north/agents/mail-triage',
])('only its own machine reaches %s', (address) => expect(isOwnMachineOnly(address)).toBe(true))

test.each([
  'https://svc.example.org',
  'http://10.0.0.5:8787',
  'http://128.0.0.1',
  'http://[::2]:8787',
  'http://[fd00::1]:8787',
  'http://[::ffff:10.0.0.5]:8787',
  'http://localhost.example.org',
  'http://mylocalhost:8787',
  'http://nas:8787',
  'no address',
])('other machines may reach %s', (address) => expect(isOwnMachineOnly(address)).toBe(false))

test('the message about another address names the address, the setting and the section, and fits into one line', () => {
  for (const baseUrl of ['http://localhost:8787', 'https://svc.example.org']) {
    const message = elsewhereWords(baseUrl)
    expect(message).toContain(`answers only at ${baseUrl}`)
    expect(message).toContain('SVC_BASE_URL')
    expect(message.length).toBeLessThan(300)
  }
  expect(elsewhereWords('http://localhost:8787')).toContain('which only its own machine reaches')
})
