/** Tests svc.service on a booted machine: the package as docs/install.md installs it, under a real systemd. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { report } from '../../packages/server/testing/service-process.ts'
import { eventually } from '../../testing/eventually.ts'
import { freePort } from '../../testing/free-port.ts'
import { boot, canBoot, type Machine } from '../../testing/machines/machine.ts'

const agents = 20
/** The seconds between two reports of an agent, of which the service takes 60 a minute. */
const pause = 1.1
const restarts = 5

describe.skipIf(!canBoot())('svc.service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-unit-'))
  let machine: Machine
  let url: string
  const tokens = new Map<string, string>()
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** Makes the package of a version, and installs it on the machine. */
  async function install(version: string): Promise<void> {
    const out = join(folder, version)
    const args = ['--service', '--version', version, '--out', out, '--keys', join(folder, 'keys')]
    execFileSync(process.execPath, [join(import.meta.dirname, '../../scripts/release.ts'), ...args], { stdio: 'pipe' })
    const name = `svc-server-${version}.tgz`
    await machine.copyIn(join(out, name), `/root/${name}`)
    await machine.output(`cd /root && npm install -g --offline --no-audit --no-fund ./${name}`)
  }
  /** Runs a command of the operator as the user of the service, and returns the value that it prints. */
  const operator = async <T>(args: string): Promise<T> =>
    JSON.parse(await machine.output(`cd /opt/svc && runuser -u svc -- svc-server ${args} --json`)) as T
  const ready = () =>
    eventually('the service answers', async () => expect((await fetch(url)).status).toBe(200), { everyMs: 200 })
  const names = async () => (await operator<{ name: string }[]>('agent list north')).map(({ name }) => name).sort()

  beforeAll(async () => {
    machine = await boot({ name: 'service' })
    await install('7.0.0')
    const [port, ops] = [await freePort(), await freePort()]
    url = `http://localhost:${port}`
    await machine.output(`useradd --system --home-dir /var/lib/svc --shell /usr/sbin/nologin svc
      install -d -o svc -m 0700 /var/backups/svc`)
    const settings = `SVC_DATA_DIR=/var/lib/svc\nSVC_PORT=${port}\nSVC_METRICS_PORT=${ops}\nSVC_BASE_URL=${url}\n`
    await machine.write('/opt/svc/.env', settings, '640')
    await machine.output('chown root:svc /opt/svc/.env')
    const program = await machine.output('command -v svc-server')
    const unit = readFileSync(join(import.meta.dirname, 'svc.service'), 'utf8')
    await machine.write('/etc/systemd/system/svc.service', unit.replace(/^ExecStart=\S+/m, `ExecStart=${program}`))
    await machine.output('systemctl enable --now svc')
    await ready()
    await operator('workspace create north')
    await operator('workspace activate north svc')
    for (let i = 0; i < agents; i++) {
      const { name, token } = await operator<{ name: string; token: string }>(`agent create north/a${i}`)
      tokens.set(name, token)
    }
  })

  test('systemd finds little exposed while the service works under it, and a backup can be written', async () => {
    const shown = await machine.output('systemd-analyze security svc --no-pager')
    expect(Number(/exposure level for svc\.service: ([\d.]+)/.exec(shown)?.[1])).toBeLessThanOrEqual(2.5)
    expect(await machine.output('ps -o user= -p $(systemctl show svc -p MainPID --value)')).toBe('svc')
    const { length } = await operator<object>('backup /var/backups/svc/today.backup').then(() => names())
    expect(length).toBe(agents)
    expect(await machine.output('stat -c %U:%a /var/backups/svc/today.backup')).toBe('svc:600')
  })

  test('the journal has the log of the service, and no token', async () => {
    const journal = await machine.output('journalctl -u svc --no-pager -o cat')
    expect(journal).toContain('svc is ready')
    for (const token of tokens.values()) expect(journal).not.toContain(token)
  })

  test('no report that was answered is lost, however often the service is restarted under load', async () => {
    const answered = new Map<string, string[]>([...tokens.keys()].map((name) => [name, []]))
    let loading = true
    const send = async (name: string, token: string) => {
      for (let at = 1; loading; at++) {
        const id = `${name}-${at}`
        const run = { id, started: Math.floor(Date.now() / 1000), outcome: 'ok' }
        const sent = await report(url, token, { runs: [run] }).catch(() => undefined)
        if (sent?.status === 200) answered.get(name)?.push(id)
        await sent?.text().catch(() => '')
        await sleep(pause * 1000)
      }
    }
    const sending = [...tokens].map(([name, token]) => send(name, token))
    for (let i = 0; i < restarts; i++) {
      await sleep(4000)
      await machine.output('systemctl restart svc')
    }
    await sleep(4000)
    await ready()
    loading = false
    await Promise.all(sending)
    for (const [name, ids] of answered) {
      const { report } = await operator<{ report: { runs: { id: string }[] } }>(`agent show north/${name}`)
      const stored = report.runs.map(({ id }) => id)
      expect(ids.length).toBeGreaterThan(restarts)
      expect([name, ids.filter((id) => !stored.includes(id))]).toEqual([name, []])
      expect(new Set(stored).size).toBe(stored.length)
    }
    expect(await machine.output('systemctl show svc -p NRestarts --value')).toBe('0')
  })

  test.each(['reboot', 'cutPower'] as const)('after %s it starts by itself, with everything', async (end) => {
    await machine[end]()
    await ready()
    expect(await names()).toEqual([...tokens.keys()].sort())
  })

  test('a killed service is started again', async () => {
    await machine.output('systemctl kill -s KILL svc')
    await eventually(
      'another start',
      async () => expect(await machine.output('systemctl show svc -p NRestarts --value')).toBe('1'),
      { everyMs: 200 },
    )
    await ready()
  })

  test('a newer package takes over the data', async () => {
    await install('7.1.0')
    await machine.output('systemctl restart svc')
    await ready()
    expect(await machine.output('svc-server --version')).toBe('7.1.0')
    expect(await names()).toEqual([...tokens.keys()].sort())
    const { status } = await report(url, tokens.get('a0') ?? '')
    expect(status).toBe(200)
  })
})
