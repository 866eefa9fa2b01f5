import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { readManifest } from '@svc/blueprint'
import type { Report } from '@svc/protocol'
import { expect, test } from 'vitest'
import { afterThisTest } from '../../../../testing/cleaning.ts'
import { agentFolder, manifestText, token } from '../../testing/folder.ts'
import { answer, command, serviceOfTest } from '../../testing/service.ts'
import { createFolders, folderAt } from '../machine/files/folder.ts'
import { exchangeReport } from './exchange.ts'
import { createReporter } from './run.ts'

test('the time of the status file is by the clock of the service, from its first answer on', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-exchange-'))
  const reports: Report[] = []
  const hours = 3 * 3600
  const server = createServer((req, res) => {
    void json(req).then((report) => {
      reports.push(report as Report)
      res.setHeader('date', new Date(Date.now() + hours * 1000).toUTCString())
      res.end('{"protocol":1,"commands":[]}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const folder = folderAt(dir)
    createFolders(folder)
    mkdirSync(join(dir, 'state'), { recursive: true })
    writeFileSync(join(dir, 'state/status.json'), '{"state":{"level":"ok","label":"Works"}}')
    const manifest = readManifest(manifestText, { for: 'report' })
    if (!manifest.ok) throw new Error(JSON.stringify(manifest.findings))
    const reporter = createReporter(folder)
    const connection = { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'svc_agt_x' }
    for (let i = 0; i < 2; i++)
      expect(
        await exchangeReport(
          reporter,
          { manifest: manifest.value, health: [] },
          connection,
          new AbortController().signal,
        ),
      ).toMatchObject({ ok: true })
    const [first = 0, second = 0] = reports.map(({ status_at }) => status_at)
    // The answer may take a while, which is less than half an hour.
    expect(Math.round((second - first) / 3600)).toBe(3)
  } finally {
    server.closeAllConnections()
    server.close()
    rmSync(dir, { recursive: true })
  }
})

test('with a damaged journal a report still counts (D17), and the commands in its answer are refused (D4)', async () => {
  const service = await serviceOfTest()
  const folder = agentFolder({ '.svc/journal/commands.json': '{"commands": [' }, service.origin)
  afterThisTest(folder.remove)
  const manifest = readManifest(manifestText, { for: 'report' })
  if (!manifest.ok) throw new Error(JSON.stringify(manifest.findings))
  const reporter = createReporter(folder)
  const reports = () =>
    exchangeReport(
      reporter,
      { manifest: manifest.value, health: [] },
      { origin: service.origin, token },
      new AbortController().signal,
    )
  service.next.push(answer(command('1', 'log', { name: 'agent' }), command('2', 'pause')))
  const message = expect.stringMatching(/^Nothing was done: .* is damaged/)
  const refused = [
    { id: '1', ok: false, message },
    { id: '2', ok: false, message },
  ]
  expect(await reports()).toMatchObject({ ok: true, answer: { interval: 30 }, handled: refused })
  expect(existsSync(folder.paused)).toBe(false)
  for (const acks of [refused, []]) {
    expect(await reports()).toMatchObject({ ok: true, handled: [] })
    expect(service.reports.at(-1)?.report.acks).toEqual(acks)
  }
  rmSync(folder.commands)
  service.next.push(answer(command('2', 'pause')))
  expect(await reports()).toMatchObject({ ok: true, handled: [] })
  expect(existsSync(folder.paused), 'the id is known').toBe(false)
})
