/** The service as a unit of a test machine, installed from its package as docs/install.md says. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atFileEnd } from '../cleaning.ts'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-port.ts'
import type { Machine } from './machine.ts'
import { makeRelease } from './releases.ts'

export interface UnitService {
  readonly url: string
  /** Makes the package of a version, and installs it. */
  install(version: string): Promise<void>
  /** Runs a command of the operator as the user of the service, and returns the value that it prints. */
  operator<T>(args: string, input?: string): Promise<T>
  /** Waits until the service answers. */
  ready(): Promise<void>
}

/** Installs the service and starts its unit. It has the activated workspace `north`. */
export async function serviceUnit(machine: Machine, version: string): Promise<UnitService> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-unit-'))
  atFileEnd.push(() => rmSync(folder, { recursive: true, force: true }))
  const [port, ops] = [await freePort(), await freePort()]
  const url = `http://localhost:${port}`
  const service: UnitService = {
    url,
    async install(wanted) {
      const out = join(folder, wanted)
      makeRelease({ version: wanted, out, keys: join(folder, 'keys'), service: true })
      const name = `svc-server-${wanted}.tgz`
      await machine.copyIn(join(out, name), `/root/${name}`)
      await machine.output(`cd /root && npm install -g --offline --no-audit --no-fund ./${name}`)
    },
    operator: async (args, input) =>
      JSON.parse(await machine.output(`cd /opt/svc && runuser -u svc -- svc-server ${args} --json`, { input })),
    ready: () =>
      eventually(
        'the service answers',
        async () => {
          if (!(await fetch(url)).ok) throw new Error('it does not')
        },
        { seconds: 60, everyMs: 200 },
      ),
  }
  await service.install(version)
  await machine.output('useradd --system --home-dir /var/lib/svc --shell /usr/sbin/nologin svc')
  await machine.output('install -d -o svc -m 0700 /var/backups/svc')
  const settings = `SVC_DATA_DIR=/var/lib/svc\nSVC_PORT=${port}\nSVC_METRICS_PORT=${ops}\nSVC_BASE_URL=${url}\n`
  await machine.write('/opt/svc/.env', settings, '640')
  await machine.output('chown root:svc /opt/svc/.env')
  await machine.output('cp "$(npm root -g)/svc-server/deploy/svc.service" /etc/systemd/system/')
  await machine.output('systemctl enable --now svc')
  await service.ready()
  await service.operator('workspace create north')
  await service.operator('workspace activate north svc')
  return service
}
