/** Tests that test machines are machines: they boot, have logins, and lose processes but no files at a reboot. */
import { beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { boot, canBoot, type Machine } from './machine.ts'

describe.skipIf(!canBoot())('a booted machine', () => {
  let machine: Machine
  beforeAll(async () => {
    machine = await boot({ name: 'boots' })
    await machine.addUser('ada')
    await machine.addUser('bo', { lingers: true })
  })

  test('has a service manager for each user who signs in, and for one who lingers at all times', async () => {
    const inside = 'systemctl --user is-active default.target'
    expect(await machine.output(inside, { user: 'ada' })).toBe('active')
    const managers = async () => (await machine.run('systemctl is-active user@1000 user@1001')).out
    await eventually(
      "ada's manager ends after her logout, and bo's stays",
      async () => expect(await managers()).toBe('inactive\nactive\n'),
      { seconds: 30, everyMs: 500 },
    )
  })

  test.each(['reboot', 'cutPower'] as const)('keeps files and ends processes at %s', async (end) => {
    await machine.write('/srv/kept', 'kept\n')
    await machine.output('systemd-run --unit=stays sleep 1000000')
    await machine[end]()
    expect(await machine.output('cat /srv/kept')).toBe('kept')
    expect((await machine.run('pgrep -f "sleep 1000000$"')).out).toBe('')
    expect(await machine.output('systemctl is-active user@1001.service')).toBe('active')
  })
})
