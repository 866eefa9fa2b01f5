import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { afterThisTest } from '../../../../../testing/cleaning.ts'
import { eventually } from '../../../../../testing/eventually.ts'
import { answerOf, claudeHome, prompt } from '../../../testing/ai/home.ts'
import { type Running, starts } from '../../../testing/folder.ts'
import { type Account, newAccount } from '../../../testing/jobs.ts'
import { privateMarks } from '../../../testing/private.ts'
import { type Folder, folderAt } from '../../machine/files/folder.ts'

interface Host {
  readonly account: Account
  readonly folder: Folder
  readonly file: string
  watch(): Running
  status(): { state: unknown; health: unknown[]; active: unknown[]; runs: { id: string; status: string }[] }
  crontab(table: string): void
  show(shown: object): void
}

/** An account with the folder of a host agent, whose program is a copy of `svc.pyz` as `svc adopt` makes it. */
async function newHost(): Promise<Host> {
  const account = await newAccount()
  afterThisTest(() => account.remove())
  const folder = folderAt(join(account.jobs, '../..'))
  for (const path of [account.jobs, folder.runtimeFolder, join(account.home, 'stand-in')])
    mkdirSync(path, { recursive: true })
  copyFileSync(account.svc, folder.runtime)
  writeFileSync(folder.manifest, 'name: vela-ada\nversion: 1.0.0\n')
  const standIn = join(account.home, 'stand-in/crontab')
  writeFileSync(standIn, `#!/bin/sh\ncat "$0.table"\n`)
  chmodSync(standIn, 0o755)
  const host: Host = {
    account,
    folder,
    file: folder.runtime,
    watch: () => {
      const running = starts(folder, ['watch'], {
        scale: 0.02,
        file: ['-e', 'require(path.resolve(process.argv[1]))', '.svc/runtime/svc.pyz'],
        env: { HOME: account.home, PATH: `${join(account.home, 'stand-in')}:${process.env.PATH}` },
      })
      afterThisTest(() => running.end('SIGKILL'))
      return running
    },
    status: () => JSON.parse(readFileSync(join(folder.state, 'status.json'), 'utf8')),
    crontab: (table) => writeFileSync(`${standIn}.table`, table),
    show: (shown) => writeFileSync(join(folder.state, 'adopted.json'), JSON.stringify(shown)),
  }
  host.crontab('')
  host.show({ jobs: true })
  return host
}

test('the host agent reports jobs as they run, fail and get lost', async () => {
  const host = await newHost()
  writeFileSync(join(host.folder.state, 'crontab.before'), 'a table with passwords')
  host.crontab('0 3 * * * svc-exec backup -- ./backup.sh --password=secret\n')
  const running = host.watch()
  const becomes = (what: string, expected: object) =>
    eventually(what, () => expect(host.status()).toMatchObject(expected))
  await becomes('a job that never ran', {
    state: { level: 'info', label: '1 job, all well' },
    health: [{ name: 'Job backup', level: 'info' }],
  })
  expect(readFileSync(host.folder.manifest, 'utf8')).toMatch(/^name: vela-ada\nversion: 1\.4\.0\n[\s\S]*job\/\*/m)

  expect(readFileSync(join(host.folder.svc, 'crontab.before'), 'utf8'), 'as an earlier version kept it').toContain(
    'passwords',
  )
  expect(existsSync(join(host.folder.state, 'crontab.before'))).toBe(false)
  await host.account.exec(['backup', '--', 'true'])
  await becomes('a good run', {
    state: { label: '1 job, all well' },
    health: [{ level: 'ok' }],
    runs: [{ status: 'ok' }],
  })
  await host.account.exec(['backup', '--', 'sh', '-c', 'exit 3'])
  await becomes('a failed run', {
    state: { level: 'bad', label: 'backup: failed (exit 3)' },
    runs: [{ status: 'failed' }, {}],
  })

  const child = host.account.starts(['mail', '--', 'sleep', '1000'])
  await becomes('a running job', { active: [{ kind: 'job', subjects: [{ title: 'mail' }] }] })
  const { pid = 0 } = host.account.runs('mail')[0] ?? {}
  child.kill('SIGKILL')
  process.kill(pid, 'SIGKILL')
  await becomes('a lost run', { state: { level: 'bad', label: '2 of 2 jobs need you' }, active: [] })
  expect(JSON.stringify(host.status())).not.toMatch(/secret|sleep/)
  expect(await running.end('SIGTERM')).toEqual({ code: 0, signal: null })
})

test('sessions are shown beside jobs if a person chose that: one that waits, its answer, and its end', async () => {
  const host = await newHost()
  const claude = claudeHome(host.account.home)
  afterThisTest(() => claude.remove())
  const child = claude.startProcess()
  claude.lines('one', [prompt, answerOf('a')])
  claude.note('one', child.pid, 'waiting')
  host.watch()
  const label = (expected: string) =>
    eventually(expected, () => expect(host.status().state).toMatchObject({ label: expected }))
  await label('no jobs yet')
  expect(JSON.stringify(host.status()), 'a note of an earlier version shows no sessions').not.toContain('claude')
  host.show({ jobs: true, ai: true })
  await label('claude 1 waits for you · no jobs yet')
  claude.note('one', child.pid, 'idle')
  await label('no jobs yet · 1 session')
  const { sessions } = JSON.parse(readFileSync(join(host.folder.state, 'numbers.json'), 'utf8'))
  expect(sessions).toMatchObject([{ tool: 'claude', number: 1, lived: expect.any(Number) }])
  claude.note('one', child.pid, 'busy')
  child.kill('SIGKILL')
  await label('claude 1 died · no jobs yet')
  for (const mark of privateMarks) expect(JSON.stringify(host.status())).not.toContain(mark)
})

test('what a person chose to show takes effect at once, and so does a crontab that changed with it', async () => {
  const host = await newHost()
  host.show({ jobs: false })
  host.crontab('0 3 * * * svc-exec backup -- x\n')
  host.watch()
  await eventually('a status without jobs', () =>
    expect(host.status()).toMatchObject({ health: [], state: { label: 'nothing is shown' } }),
  )
  host.crontab('0 3 * * * svc-exec backup -- x\n0 3 * * * svc-exec mail -- x\n')
  host.show({ jobs: true })
  await eventually('a status with both jobs', () => expect(host.status().health).toHaveLength(2))
})

test('the program ends once its file was replaced, so that the runtime starts the new one', async () => {
  const host = await newHost()
  const running = host.watch()
  await eventually('a status', () => expect(host.status().state).toBeDefined())
  copyFileSync(host.file, `${host.file}.new`)
  renameSync(`${host.file}.new`, host.file)
  const code = await new Promise((resolve) => {
    if (running.child.exitCode !== null) resolve(running.child.exitCode)
    else running.child.once('exit', resolve)
  })
  expect(code).toBe(0)
})
