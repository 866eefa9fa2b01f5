/** Tests `svc adopt` with real crons on booted machines: jobs that end well, fail, hang, or are not started. */
import { describe, expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { installSvc } from '../../../../../testing/machines/agents.ts'
import { boot, canBoot } from '../../../../../testing/machines/machine.ts'
import { type MachineService, machineService } from '../../../../../testing/machines/service.ts'

const packages = (names: string) =>
  `RUN apt-get update && apt-get install -y --no-install-recommends ${names} && rm -rf /var/lib/apt/lists/*`
const crons = [
  { name: 'cron', stop: 'systemctl stop cron' },
  { name: 'systemd-cron', stop: 'systemctl stop cron.target' },
]

let service: Promise<MachineService> | undefined

interface Job {
  readonly name: string
  readonly level: string
  readonly detail: string
}

describe.skipIf(!canBoot()).concurrent('svc adopt', () => {
  test.each(crons)('with $name', { timeout: 900_000 }, async ({ name, stop }) => {
    service ??= machineService()
    const { home, url, show } = await service
    const machine = await boot({ name, extra: packages(name) })
    const user = 'ada'
    await machine.addUser(user, { lingers: true })
    await installSvc(machine, await service, user)
    const svc = (command: string, input?: string) => machine.run(`.local/bin/svc ${command}`, { user, input })
    const script = (file: string, text: string) => machine.write(`/home/ada/${file}`, `#!/bin/sh\n${text}\n`, '755')
    await script('good.sh', 'cat >>~/good')
    await script('fail.sh', 'exit 3')
    await script('hang.sh', 'sleep 100000')
    const table = [
      '# the jobs of ada',
      ...['good', 'fail', 'hang'].map((job) => `* * * * * /home/ada/${job}.sh`),
      '',
    ].join('\n')
    const writeTable = async (text: string) => {
      await machine.write('/home/ada/table', text)
      await machine.output('crontab table', { user })
    }
    await writeTable(table)

    const { token } = await home.value<{ token: string }>(['agent', 'create', `north/${name}`])
    const adopted = await svc(`adopt --yes --crontab --url ${url}`, token)
    expect(adopted).toMatchObject({
      code: 0,
      out: expect.stringContaining('Jobs in the crontab now: good, fail, hang.'),
    })
    const wrapped = await machine.output('crontab -l', { user })
    await writeTable(`${wrapped.replace(/(svc-exec \w+) --/g, '$1 --grace 30s --')}\n`)

    const jobs = async () => {
      const all = JSON.parse((await svc('jobs --json')).out) as Job[]
      return Object.fromEntries(all.map(({ name, level, detail }) => [name, `${level}: ${detail}`]))
    }
    await eventually(
      'the jobs have run, and one does not end',
      async () =>
        expect(await jobs()).toMatchObject({
          good: expect.stringMatching(/^ok: /),
          fail: expect.stringMatching(/^bad: .*failed \(exit 3\)/),
          hang: expect.stringMatching(/^bad: /),
        }),
      { seconds: 400, everyMs: 2000 },
    )
    await machine.output(stop)
    await eventually('a job is not started', async () => expect((await jobs()).good).toMatch(/^bad: /), {
      seconds: 300,
      everyMs: 2000,
    })
    await eventually(
      'the page shows all of them',
      async () => {
        const levels = (await show(name)).report?.health?.map((item) => [item.name, item.level])
        expect(levels).toEqual(expect.arrayContaining(['good', 'fail', 'hang'].map((job) => [`Job ${job}`, 'bad'])))
      },
      { seconds: 90, everyMs: 1000 },
    )
    expect(await svc('adopt --remove --yes')).toMatchObject({ code: 0, err: '' })
    expect(`${await machine.output('crontab -l', { user })}\n`).toBe(table)
  })
})
