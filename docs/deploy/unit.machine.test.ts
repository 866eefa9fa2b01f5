/** Tests svc.service on a booted machine: the package as docs/install.md installs it, under a real systemd. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { report } from '../../packages/server/testing/service-process.ts'
import { eventually } from '../../testing/eventually.ts'
import { boot, canBoot, type Machine } from '../../testing/machines/machine.ts'
import { makeRelease } from '../../testing/machines/releases.ts'
import { serviceUnit, type UnitService } from '../../testing/machines/unit.ts'

const agents = 20
/** The seconds between two reports of an agent, of which the service takes 60 a minute. */
const pause = 1.1
const restarts = 5

describe.skipIf(!canBoot())('svc.service', () => {
  let machine: Machine
  let service: UnitService
  let url: string
  const tokens = new Map<string, string>()
  const names = async () =>
    (await service.operator<{ name: string }[]>('agent list north')).map(({ name }) => name).sort()

  beforeAll(async () => {
    machine = await boot({ name: 'service' })
    service = await serviceUnit(machine, '7.0.0')
    url = service.url
    for (let i = 0; i < agents; i++) {
      const { name, token } = await service.operator<{ name: string; token: string }>(`agent create north/a${i}`)
      tokens.set(name, token)
    }
  })

  test('systemd finds little exposed while the service works under it, and a backup can be written', async () => {
    const shown = await machine.output('systemd-analyze security svc --no-pager')
    expect(Number(/exposure level for svc\.service: ([\d.]+)/.exec(shown)?.[1])).toBeLessThanOrEqual(2)
    expect(await machine.output('ps -o user= -p $(systemctl show svc -p MainPID --value)')).toBe('svc')
    await service.operator('backup /var/backups/svc/today.backup')
    expect(await names()).toHaveLength(agents)
    expect(await machine.output('stat -c %U:%a /var/backups/svc/today.backup')).toBe('svc:600')
  })

  test.each(['scrypt', 'argon2id'])('somebody signs in under it, with a password stored by %s', async (kind) => {
    await machine.output(`echo SVC_PASSWORD_HASH=${kind} >>/opt/svc/.env && systemctl restart svc`)
    await service.ready()
    const email = `${kind}@example.org`
    const of = `--name Ada --workspace north --role admin`
    await service.operator(`person create ${email} ${of}`, 'correct horse battery')
    const signIn = async (password: string) =>
      await fetch(`${url}/api/auth/sign-in/email`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: url },
        body: JSON.stringify({ email, password }),
      })
    expect((await signIn('a wrong one')).status).toBe(401)
    expect((await signIn('correct horse battery')).status).toBe(200)
  })

  test('a message leaves it, and a build with a signature is served by it', async () => {
    const received: string[] = []
    const receiver = createServer((req, res) => {
      req.setEncoding('utf8').on('data', (text) => received.push(text))
      req.on('end', () => res.end())
    })
    await once(receiver.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void receiver.close())
    const { port } = receiver.address() as AddressInfo
    await machine.output('echo SVC_OUTBOUND_ALLOW=127.0.0.0/8 >>/opt/svc/.env && systemctl restart svc')
    await service.ready()
    await service.operator(`channel add @service operator --kind webhook --url http://127.0.0.1:${port}/`)
    await service.operator('channel test @service/operator')
    expect(received.join('')).toContain('test')

    const folder = mkdtempSync(join(tmpdir(), 'svc-signed-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const key = join(folder, 'key')
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
    const version = '7.0.1'
    makeRelease({ version, out: join(folder, 'signed'), keys: join(folder, 'keys'), key })
    await machine.copyIn(join(folder, 'signed'), '/opt/svc/signed')
    expect(await service.operator('release add /opt/svc/signed')).toMatchObject({ version, signed: true })
    expect((await fetch(`${url}/cli/svc.pyz.sig`)).status).toBe(200)
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
        const run = { id, started: Math.floor(Date.now() / 1000) }
        const sent = await report(url, token, { runs: [run] }).catch(() => undefined)
        if (sent?.status === 200) answered.get(name)?.push(id)
        await sent?.text().catch(() => '')
        await sleep(pause * 1000)
      }
    }
    const sending = [...tokens].map(([name, token]) => send(name, token))
    const eachHas = (count: number) =>
      eventually(
        `each agent has ${count} answers`,
        () => expect(Math.min(...[...answered.values()].map((ids) => ids.length))).toBeGreaterThanOrEqual(count),
        { seconds: 60, everyMs: 200 },
      )
    for (let restart = 1; restart <= restarts; restart++) {
      await eachHas(restart)
      await sleep(2000)
      await machine.output('systemctl restart svc')
    }
    await eachHas(restarts + 1)
    loading = false
    await Promise.all(sending)
    for (const [name, ids] of answered) {
      const { report } = await service.operator<{ report: { runs: { id: string }[] } }>(`agent show north/${name}`)
      const stored = report.runs.map(({ id }) => id)
      expect([name, ids.filter((id) => !stored.includes(id))]).toEqual([name, []])
      expect(new Set(stored).size).toBe(stored.length)
    }
    expect(await machine.output('systemctl show svc -p NRestarts --value')).toBe('0')
  })

  test.each(['reboot', 'cutPower'] as const)('after %s it starts by itself, with everything', async (end) => {
    await machine[end]()
    await service.ready()
    expect(await names()).toEqual([...tokens.keys()].sort())
  })

  test('a killed service is started again', async () => {
    await machine.output('systemctl kill -s KILL svc')
    await eventually(
      'another start',
      async () => expect(await machine.output('systemctl show svc -p NRestarts --value')).toBe('1'),
      { everyMs: 200 },
    )
    await service.ready()
  })

  test('a newer package takes over the data', async () => {
    await service.install('7.1.0')
    await machine.output('systemctl restart svc')
    await service.ready()
    expect(await machine.output('svc-server --version')).toBe('7.1.0')
    expect(await names()).toEqual([...tokens.keys()].sort())
    const { status } = await report(url, tokens.get('a0') ?? '')
    expect(status).toBe(200)
  })
})
