/**
 * Runs the current service with what an earlier version left: its data (testing/earlier), its agents and people, and
 * its `svc.pyz`. `npm test` leaves this out. packages/server/src/platform/db/migrate.store.test.ts proves the same
 * rules.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../testing/eventually.ts'
import { bundle } from '../../testing/bundles.ts'
import { restored, unpacked } from '../../testing/earlier/restored.ts'
import { newServiceHome, populate, report, type ServiceHome } from '../../testing/service-process.ts'

const folder = join(import.meta.dirname, '../../testing/earlier')

type Rows = Record<string, unknown>[]
interface Earlier {
  secret: string
  tokens: Record<'mail' | 'quiet' | 'gone' | 'mail-one' | 'mail-two' | 'mail-three', string>
  /** The JSON that commands such as `svc-server agent list … --json` of the earlier version printed. */
  kept: {
    commands: { mail: Rows; quiet: Rows }
    agents: Rows
    mail: Record<string, unknown>
    one: Record<string, unknown>
    rollouts: Rows
    bots: Rows
    audit: Rows
  }
}
const earlier = (engine: string) => JSON.parse(readFileSync(join(folder, `${engine}.json`), 'utf8')) as Earlier

async function onSqlite(): Promise<ServiceHome> {
  const home = await newServiceHome()
  mkdirSync(home.dataDir)
  writeFileSync(join(home.dataDir, 'svc.db'), unpacked('svc.db.gz'))
  writeFileSync(join(home.dataDir, 'secret'), earlier('sqlite').secret)
  return home
}

async function onPostgres(): Promise<ServiceHome> {
  const url = await restored('postgres.sql.gz')
  const home = await newServiceHome({ SVC_DATABASE_URL: url })
  mkdirSync(home.dataDir)
  writeFileSync(join(home.dataDir, 'secret'), earlier('postgres').secret)
  return home
}

describe.each([
  ['sqlite', onSqlite],
  ['postgres', onPostgres],
] as const)('data of 219af78 on %s', (engine, placed) => {
  test('the data is shown as that version showed it, and its agents and people can continue', async () => {
    const { kept, tokens } = earlier(engine)
    const home = await placed()

    // These `svc-server` commands must run before the service starts, because a running service erases old data.
    expect(await home.value(['command', 'list', 'north/mail'])).toMatchObject(kept.commands.mail)
    expect(await home.value(['agent', 'list', 'north'])).toMatchObject(kept.agents)
    expect(await home.value(['agent', 'show', 'north/mail'])).toMatchObject(kept.mail)
    expect(await home.value(['agent', 'show', 'north/mail-one'])).toMatchObject(kept.one)
    expect(await home.value(['bot', 'list', 'north'])).toMatchObject(kept.bots)
    expect(await home.value(['rollout', 'list', 'north'])).toMatchObject(
      kept.rollouts.map(({ id, blueprint, version, createdBy }) => ({ id, blueprint, version, createdBy })),
    )
    expect(await home.value(['audit', 'list', 'north'])).toEqual(
      expect.arrayContaining(kept.audit.map((entry) => expect.objectContaining(entry))),
    )

    const service = await home.start()
    for (const name of ['mail', 'quiet', 'mail-one', 'mail-two', 'mail-three'] as const)
      expect([name, (await report(home.url, tokens[name])).status]).toEqual([name, 200])
    expect((await report(home.url, tokens.gone)).status).toBe(401)
    const bundle = await fetch(`${home.url}/api/agent/v1/bundle/1.0.0`, {
      headers: { authorization: `Bearer ${tokens['mail-one']}` },
    })
    expect([bundle.status, bundle.headers.get('content-type')]).toEqual([200, 'application/zip'])

    const signIn = await fetch(`${home.url}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: home.url },
      body: JSON.stringify({ email: 'ada@example.org', password: 'correct horse battery' }),
    })
    expect(signIn.status).toBe(200)
    expect(service.log).not.toContain('"level":"error"')
    expect(await service.kill()).toBe(0)
  })
})

test('a svc.pyz of 0.1.0 installs from the current service, reports, obeys and is stopped', async () => {
  const home = await newServiceHome()
  await home.start()
  await populate(home)
  const main =
    'import json, time\nwhile True:\n    json.dump({"state": {"level": "ok", "label": "Works"}}, open("state/status.json", "w"))\n    time.sleep(0.1)\n'
  const zip = join(home.folder, 'mail.zip')
  writeFileSync(zip, await bundle({ name: 'mail-triage', files: { 'main.py': main } }))
  await home.value(['blueprint', 'upload', 'north', zip])
  const { code } = await home.value<{ code: string }>(['code', 'issue', 'north', 'mail-triage@1.0.0', '--agent', 'old'])
  const program = join(home.folder, 'svc.pyz')
  copyFileSync(join(import.meta.dirname, '../../../blueprint/testing/old/svc-0.1.0.pyz'), program)
  const options = { cwd: home.folder, env: { ...process.env, SVC_TIME_SCALE: '0.05', SVC_TIME_FLOOR: '' } }
  const init = ['init', '--url', home.url, '--code', code, '--yes', '--dir', 'old']
  await promisify(execFile)('python3', [program, ...init], options)

  const runtime = spawn('python3', [program, 'run', '--dir', 'old'], { ...options, stdio: 'ignore' })
  onTestFinished(() => void runtime.kill('SIGKILL'))
  interface Shown {
    report: { state?: { label: string }; runtime?: { version: string } } | null
  }
  const shown = () => home.value<Shown>(['agent', 'show', 'north/old'])
  const says = (label: string) =>
    eventually(
      `the agent of the earlier version says ${label}`,
      async () => expect((await shown()).report?.state?.label).toBe(label),
      { seconds: 60, everyMs: 1000 },
    )
  await says('Works')
  expect((await shown()).report?.runtime?.version).toBe('0.1.0')
  await home.value(['command', 'send', 'north/old', 'pause'])
  await says('Paused')
  expect(await home.value(['command', 'list', 'north/old'])).toMatchObject([{ type: 'pause', state: 'applied' }])
  runtime.kill('SIGTERM')
  expect(await once(runtime, 'exit')).toEqual([0, null])
})
