/** Tests `svc adopt` with real crons on booted machines: jobs that end well, fail, hang, or are not started. */
import { describe, expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { installSvc } from '../../../../../testing/machines/agents.ts'
import { boot, canBoot } from '../../../../../testing/machines/machine.ts'
import { type MachineService, machineService } from '../../../../../testing/machines/service.ts'

const packages = (names: string) =>
  `RUN apt-get update && apt-get install -y --no-install-recommends ${names} && rm -rf /var/lib/apt/lists/*`

interface Source {
  readonly file: string
  readonly sha256: string
  /** The packages that building needs. */
  readonly needs: string
  /** The commands that build and install it, in its folder. */
  readonly build: string
}
/** Builds a cron from its Debian source and makes it a unit. Only crons that Debian 12 does not package need this. */
const fromSource = (unit: string, { file, sha256, needs, build }: Source) => `
${packages(`gcc libc6-dev make ${needs}`)}
RUN cd /tmp && curl -fsSo source http://deb.debian.org/debian/pool/main/${file} && echo '${sha256}  source' | sha256sum -c \\
    && mkdir built && tar -xf source -C built --strip-components=1 && cd built && ${build} && rm -rf /tmp/*
RUN printf '%s\\n' [Service] 'ExecStart=${unit}' [Install] WantedBy=multi-user.target >/etc/systemd/system/crond.service \\
    && systemctl enable crond`

const crons = [
  { name: 'cron', extra: packages('cron'), stop: 'systemctl stop cron' },
  { name: 'systemd-cron', extra: packages('systemd-cron'), stop: 'systemctl stop cron.target' },
  {
    name: 'bcron',
    // Debian gives the folder of bcron to a group that the programs of bcron are not in.
    extra: `${packages('bcron')}\nRUN chown cron:cron /var/spool/cron/crontabs`,
    stop: 'pkill ^bcron-',
  },
  {
    name: 'cronie',
    extra: fromSource('/usr/sbin/crond -n', {
      file: 'c/cronie/cronie_1.7.2.orig.tar.gz',
      sha256: 'f1da374a15ba7605cf378347f96bc8b678d3d7c0765269c8242cfe5b0789c571',
      needs: '',
      build:
        './configure --prefix=/usr --sysconfdir=/etc --localstatedir=/var && make && make install && chmod 4755 /usr/bin/crontab && touch /etc/cron.deny',
    }),
    stop: 'systemctl stop crond',
  },
  {
    name: 'busybox',
    extra: fromSource('/usr/sbin/crond -f -c /var/spool/cron/crontabs', {
      file: 'b/busybox/busybox_1.37.0.orig.tar.bz2',
      sha256: '3311dff32e746499f4df0d5df04d7eb396382d7e108bb9250e7b519b837043a4',
      needs: 'bzip2',
      build: `make allnoconfig && for one in CROND CRONTAB FEATURE_CROND_SPECIAL_TIMES FEATURE_SUID LONG_OPTS; do \\
        sed -i "s/^# CONFIG_$one is not set/CONFIG_$one=y/" .config; done \\
        && sed -i '/FEATURE_CROND_DIR/ c CONFIG_FEATURE_CROND_DIR="/var/spool/cron"' .config && yes '' | make oldconfig && make \\
        && install -m 4755 busybox /usr/bin/crontab && install busybox /usr/sbin/crond && mkdir -p /var/spool/cron/crontabs`,
    }),
    stop: 'systemctl stop crond',
  },
]

let service: Promise<MachineService> | undefined

interface Job {
  readonly name: string
  readonly level: string
  readonly detail: string
}

describe.skipIf(!canBoot()).concurrent('svc adopt', () => {
  test.each(crons)('with $name', { timeout: 900_000 }, async ({ name, extra, stop }) => {
    service ??= machineService()
    const { home, url, show } = await service
    const machine = await boot({ name, extra })
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
