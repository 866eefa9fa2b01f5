/** Tests `svc-exec` in a oneshot unit that a timer of a real systemd starts. */
import { describe, expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { boot, canBoot } from '../../../../../testing/machines/machine.ts'
import { programs } from '../../../../../testing/program.ts'

const accounts = [
  { user: 'root', home: '/root', units: '/etc/systemd/system', program: '/usr/local/bin', manager: 'systemctl' },
  {
    user: 'ada',
    home: '/home/ada',
    units: '/home/ada/.config/systemd/user',
    program: '/home/ada/.local/bin',
    manager: 'systemctl --user',
  },
]

describe.skipIf(!canBoot())('a timer', () => {
  test.each(accounts)('of $user starts a job, whose exit code is that of its unit', async ({ user, ...at }) => {
    const machine = await boot({ name: `timer-${user}` })
    if (user !== 'root') await machine.addUser(user, { lingers: true })
    await machine.copyIn(programs.svc, '/srv/svc.pyz')
    await machine.output('python3 /srv/svc.pyz self install', { user })
    const command = `${at.program}/svc-exec nightly --every 1d -- /bin/sh -c 'exit $(cat ${at.home}/code)'`
    await machine.write(`${at.units}/nightly.service`, `[Service]\nType=oneshot\nExecStart=${command}\n`)
    await machine.write(`${at.units}/nightly.timer`, '[Timer]\nOnCalendar=*:*:0/3\nAccuracySec=1\n')
    const ends = async (code: number, result: string, level: string) => {
      await machine.write(`${at.home}/code`, `${code}\n`)
      await eventually(
        `exit code ${code}`,
        async () => {
          const shown = `${at.manager} show nightly.service -p ExecMainStatus -p Result`
          const unit = (await machine.output(shown, { user })).split('\n').sort()
          expect(unit).toEqual([`ExecMainStatus=${code}`, `Result=${result}`])
          const [job] = JSON.parse(await machine.output(`${at.program}/svc jobs --json`, { user }))
          expect([job.name, job.level]).toEqual(['nightly', level])
        },
        { seconds: 60, everyMs: 500 },
      )
    }
    await machine.output(`${at.manager} daemon-reload && ${at.manager} start nightly.timer`, { user })
    await ends(0, 'success', 'ok')
    await ends(3, 'exit-code', 'bad')
    await ends(0, 'success', 'ok')
  })
})
