import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { freePort } from './free-port.ts'

test.skipIf(process.platform !== 'linux')(
  'outgoing connections never take a port that is free for a test',
  async () => {
    const first = Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10)
    for (let i = 0; i < 20; i++) if (first > 20_000) expect(await freePort()).toBeLessThan(first)
  },
)

test('a port is chosen once, though it stays free', async () => {
  const random = vi.spyOn(Math, 'random').mockReturnValueOnce(0.5).mockReturnValueOnce(0.5)
  onTestFinished(() => random.mockRestore())
  expect(await freePort()).not.toBe(await freePort())
})
