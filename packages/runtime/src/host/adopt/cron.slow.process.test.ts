/**
 * Tests the lines of `svc adopt` with the real cron of Debian, in a mount namespace with a folder of the test in the
 * place of all tables. `npm test` leaves this out. packages/runtime/src/cli/host/adopt.process.test.ts proves the same
 * rules.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { within } from '../../../../../testing/within.ts'
import { type Account, account } from '../../../testing/adopting.ts'
import { token } from '../../../testing/folder.ts'
import { type Service, startService } from '../../../testing/service.ts'

const programs = ['cron', 'crontab', 'unshare', 'nsenter', 'mount']
const missing = programs.filter((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0)
const works =
  missing.length === 0 &&
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0
if (!works)
  process.stderr.write(
    `NOT TESTED: crontab lines under the real cron, since ${missing.length > 0 ? `${missing.join(', ')} are missing` : 'this user may not make a mount namespace'}\n`,
  )

let ada: Account
let service: Service
let space: ChildProcess
let cron: ChildProcess | undefined
/** The words that start a program in the namespace. */
let inside: string

/** The places that the namespace replaces, so that neither cron nor the test sees a table of this machine. */
const enter = `
set -e
mount --bind "$1/spool" /var/spool/cron
mount --bind "$1/system" /etc/crontab 2>/dev/null || :
mount --bind "$1/cron.d" /etc/cron.d 2>/dev/null || :
mount -t tmpfs none /run
echo ready
exec sleep 1000000`

beforeAll(async () => {
  if (!works) return
  ada = account()
  service = await startService()
  const at = (name: string) => join(ada.home, '..', name)
  mkdirSync(at('spool/crontabs'), { recursive: true })
  mkdirSync(at('cron.d'))
  writeFileSync(at('system'), '')
  spawnSync('sh', ['-c', `chgrp crontab '${at('spool/crontabs')}' && chmod 1730 '${at('spool/crontabs')}'`])
  space = spawn('unshare', ['-m', '--propagation', 'private', 'sh', '-c', enter, 'sh', at('.')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await within(() => 'the namespace', new Promise<void>((ready) => space.stdout?.once('data', () => ready())))
  const crontab = spawnSync('sh', ['-c', 'command -v crontab'], { encoding: 'utf8' }).stdout.trim()
  inside = `nsenter --target ${space.pid} --mount`
  writeFileSync(join(ada.crontab.bin, 'crontab'), `#!/bin/sh\nexec ${inside} ${crontab} "$@"\n`)
  chmodSync(join(ada.crontab.bin, 'crontab'), 0o755)
})
afterAll(async () => {
  cron?.kill('SIGKILL')
  await ada?.remove()
  space?.kill('SIGKILL')
  await service?.close()
})

const run = (args: readonly string[], input?: string) =>
  spawnSync('crontab', args, { env: { ...process.env, ...ada.env }, encoding: 'utf8', input })

test.skipIf(!works)(
  'wrapped lines run, fail and hang under cron and are noticed, and a removal gives the first table',
  async () => {
    const file = (name: string) => join(ada.home, name)
    const line = (command: string) => `* * * * * cd ${ada.home} && ${command}`
    writeFileSync(file('hang.sh'), '#!/bin/sh\nsleep 600\n', { mode: 0o755 })
    writeFileSync(file('good.sh'), '#!/bin/sh\necho "$SVC_JOB $1" >>good\ncat >>good\n', { mode: 0o755 })
    writeFileSync(file('fail.sh'), '#!/bin/sh\nexit 3\n', { mode: 0o755 })
    const first = `MAILTO=""
HOME=${ada.home}
${line("./good.sh 'a b' \\%")}%from%cron
${line('./fail.sh')}
${line('./hang.sh')}
@reboot ${ada.home}/good.sh
`
    expect(run(['-'], first)).toMatchObject({ status: 0, stderr: '' })
    const adopted = await ada.adopt(['--yes', '--crontab', '--no-start', '--url', service.origin], { input: token })
    expect(adopted).toMatchObject({
      code: 0,
      out: expect.stringContaining('Jobs in the crontab now: good, fail, hang.'),
    })
    const wrapped = run(['-l']).stdout
    // A person adds an option to a wrapped line. The option stays when the line is unwrapped.
    expect(run(['-'], wrapped.replace('svc-exec hang --', 'svc-exec hang --timeout 1s --')).status).toBe(0)

    // cron compares the times of tables in whole seconds, so it misses a table that is written in the second in which
    // cron starts.
    cron = spawn('sh', ['-c', `exec ${inside} cron -f -L 15`], { stdio: 'ignore' })
    const jobs = async () => {
      const listed = await ada.svc(['jobs', '--json'])
      return new Map(
        (JSON.parse(listed.out) as { name: string; level: string; detail: string }[]).map((job) => [job.name, job]),
      )
    }
    await eventually(
      'all three jobs have run',
      async () => {
        const now = await jobs()
        expect(now.get('good')).toMatchObject({ level: 'ok' })
        expect(now.get('fail')).toMatchObject({ level: 'bad', detail: expect.stringContaining('failed (exit 3)') })
        expect(now.get('hang')).toMatchObject({ level: 'bad', detail: expect.stringMatching(/tim(?:ed out|eout)/) })
      },
      { seconds: 110, everyMs: 1000 },
    )
    expect(readFileSync(file('good'), 'utf8')).toContain('good a b\nfrom\ncron\n')

    const removed = await ada.adopt(['--remove', '--yes'])
    expect(removed).toMatchObject({ code: 0, err: '' })
    expect(run(['-l']).stdout).toBe(first)
    expect(existsSync(join(ada.host.state, 'jobs/fail'))).toBe(true)
  },
)

test.skipIf(!works)('cron takes the longest line that is wrapped', async () => {
  const planned = async (bytes: number) => {
    expect(run(['-'], `0 3 * * * true ${'x'.repeat(bytes)}\n`).status).toBe(0)
    return (
      String(JSON.parse((await ada.adopt(['--dry-run', '--json'])).out).crontabDiff)
        .split('\n')
        .at(-2) ?? ''
    )
  }
  const bytes = 500 + 990 - (await planned(500)).slice(1).length
  expect(await planned(bytes + 1)).toBe('')
  expect((await planned(bytes)).slice(1)).toHaveLength(990)
  const ran = await ada.adopt(['--yes', '--crontab', '--no-start', '--url', service.origin], { input: token })
  expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('Jobs in the crontab now: true.') })
})
