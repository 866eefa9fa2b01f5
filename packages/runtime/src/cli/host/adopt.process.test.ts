/** Tests `svc adopt` as a person runs it, with a stand-in for the crontab, and a scripted service. */
import { execFile } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { afterThisTest } from '../../../../../testing/cleaning.ts'
import { level, rowsOfLevel } from '../../../../../testing/level.ts'
import { type Account, account } from '../../../testing/adopting.ts'
import { becomes, token } from '../../../testing/folder.ts'
import { json, serviceOfTest } from '../../../testing/service.ts'
import { readConnection } from '../../machine/files/env.ts'
import { whoHolds } from '../../machine/files/lock.ts'

const isRoot = process.getuid?.() === 0
function somebody(options?: Parameters<typeof account>[0]): Account {
  const made = account(options)
  afterThisTest(() => made.remove())
  return made
}

const table = `MAILTO=""
0 3 * * *  cd /srv && ./backup.sh > /dev/null
@daily /opt/report.py%one
@reboot /opt/start.sh
`
const quiet = ['--yes', '--no-start']

test.each(
  rowsOfLevel(
    [
      ['nobody can be asked', ['--url', 'http://127.0.0.1:9'], 'Nobody can be asked here. Add --yes'],
      ['there is no address', ['--yes'], 'the address of the service is needed'],
      ['the address is none', ['--yes', '--url', 'ftp://x'], '--url'],
      ['jobs are wanted, but not shown', ['--yes', '--only', 'ai', '--crontab'], '--only must name jobs, too'],
      ['nothing is wanted', ['--yes', '--only', ','], '--only must be jobs, ai or both'],
      ['something unknown is wanted', ['--yes', '--only', 'mails'], '--only must be jobs, ai or both: got "mails"'],
      ['the sessions are to have strange names', ['--yes', '--names', 'title'], '--names must be number or folder'],
      ['the name is none', ['--yes', '--name', 'My Machine'], '--name must be lowercase letters'],
      ['the token is none', [...quiet, '--url', 'http://127.0.0.1:9'], 'That is not an agent token'],
    ],
    3,
  ),
)('%s: it is refused, and nothing is written', async (_why, args, says) => {
  const ada = somebody()
  ada.crontab.write(table)
  const ran = await ada.adopt(args, { input: 'no token' })
  expect(ran).toMatchObject({ code: 2, out: '' })
  expect(ran.err).toContain(says)
  expect(ada.files()).toEqual([])
  expect(ada.crontab.table()).toBe(table)
})

test('a dry run needs no address, writes nothing, and says what would leave and what would change', async () => {
  const ada = somebody()
  ada.crontab.write(table)
  const shown = await ada.adopt(['--dry-run', '--json'])
  expect(shown).toMatchObject({ code: 0, err: '' })
  expect(JSON.parse(shown.out)).toEqual({
    found: { crontab: 3, jobs: 0, ai: {} },
    report: expect.objectContaining({
      protocol: 1,
      agent: expect.objectContaining({ version: '0.0.0' }),
      controls: [],
    }),
    crontabDiff: expect.stringMatching(/^--- crontab\n.*\n@@ -2,2 \+2,2 @@\n-0 3 \* \* \* {2}cd /),
    folder: ada.host.root,
    wrapped: 0,
  })
  expect(shown.out).not.toContain('MAILTO')
  const said = await ada.adopt(['--dry-run'])
  expect(said.out).toContain('Found 3 crontab lines and 0 jobs that svc knows. 2 lines can become jobs.')
  expect(said.out).toContain('"label": "2 jobs, all well"')
  expect(said.out).toContain('Line 4 stays as it is: it runs when the machine starts')
  expect(said.out).toContain(`+@daily exec $([ -x ${ada.bin}/svc-exec ] && echo ${ada.bin}/svc-exec report --)`)
  expect(ada.files()).toEqual([])
})

test.skipIf(level === 'short')(
  'jobs that svc-exec has recorded for this home folder are found, and those of another are not',
  async () => {
    const [ada, other] = [somebody(), somebody()]
    await other.svc(['exec', 'backup', '--', 'true'])
    expect(JSON.parse((await ada.adopt(['--dry-run', '--json'])).out)).toMatchObject({ found: { jobs: 0 } })
    await ada.svc(['exec', 'backup', '--', 'true'])
    expect(JSON.parse((await ada.adopt(['--dry-run', '--json'])).out)).toMatchObject({ found: { jobs: 1 } })
  },
)

test.skipIf(level === 'short')(
  'programs that are installed in another folder are used there, and the agent gets its own copy',
  async () => {
    const good = await serviceOfTest()
    const ada = somebody()
    ada.crontab.write(table)
    const tools = join(ada.home, 'tools')
    expect(await ada.svc(['self', 'install', '--to', tools])).toMatchObject({ code: 0 })
    const file = join(ada.home, 'token')
    writeFileSync(file, token, { mode: 0o600 })
    const args = ['adopt', ...quiet, '--crontab', '--url', good.origin, '--token-file', file]
    await promisify(execFile)(join(tools, 'svc'), args, { env: ada.env })
    expect(ada.crontab.table()).toContain(`echo ${tools}/svc-exec report --`)
    expect(existsSync(ada.bin)).toBe(false)
    expect(readFileSync(ada.host.runtime).equals(readFileSync(join(tools, 'svc')))).toBe(true)
    expect(readFileSync(ada.host.manifest, 'utf8')).toContain('.svc/runtime/svc.pyz')
  },
)

test.each([
  ['an unknown token', json({ error: { code: 'unauthorized', message: 'No.' } }, 401), 1, 'does not know this token'],
  ['a service that is broken', json({}, 500), 1, 'The test report to'],
])('%s leaves nothing on the machine', async (_what, usual, code, says) => {
  const good = await serviceOfTest()
  good.usual = usual
  const ada = somebody()
  ada.crontab.write(table)
  const ran = await ada.adopt([...quiet, '--crontab', '--url', good.origin], { input: token })
  expect(ran.code).toBe(code)
  expect(ran.err).toContain(says)
  expect(ada.files()).toEqual([])
  expect(ada.crontab.table()).toBe(table)
})

test('a service that cannot be reached leaves nothing, but the records of jobs stay', async () => {
  const ada = somebody()
  const record = join(ada.host.state, 'jobs/backup/job.json')
  mkdirSync(join(record, '..'), { recursive: true })
  writeFileSync(record, '{"name":"backup"}')
  const ran = await ada.adopt([...quiet, '--url', 'http://127.0.0.1:9'], { input: token })
  expect(ran.code).toBe(3)
  expect(ran.err).toContain('Nothing was written.')
  expect(ada.files().filter((file) => statSync(join(ada.home, file)).isFile())).toEqual([
    '.local/state/svc/host/state/jobs/backup/job.json',
  ])
})

test('the agent is connected, and the crontab stays without --crontab', async () => {
  const good = await serviceOfTest()
  const ada = somebody()
  ada.crontab.write(table)
  const ran = await ada.adopt([...quiet, '--url', good.origin, '--name', 'vela-ada'], { input: token })
  expect(ran).toMatchObject({ code: 0, err: expect.stringContaining('Found 3 crontab lines') })
  expect(ran.out).toContain(`Connected: ${good.origin} accepted a report of vela-ada.`)
  expect(ran.out).toContain('2 crontab lines can become a job: svc adopt --crontab')
  expect(readConnection(ada.host)).toEqual({ ok: true, value: { origin: good.origin, token } })
  expect(good.reports).toHaveLength(1)
  expect(ada.crontab.table()).toBe(table)
  expect(readFileSync(ada.host.manifest, 'utf8')).toContain('name: vela-ada\nversion: 0.0.0\n')
  expect(JSON.parse(readFileSync(join(ada.host.state, 'adopted.json'), 'utf8'))).toEqual({
    jobs: true,
    ai: false,
    names: 'number',
    folders: [],
  })
  expect(existsSync(ada.host.runtime)).toBe(true)
  for (const program of ['svc', 'svc-exec']) expect(statSync(join(ada.bin, program)).mode & 0o777).toBe(0o755)
})

test('the crontab lines become jobs, new ones are added later, and a removal gives the first table', async () => {
  const good = await serviceOfTest()
  const ada = somebody()
  ada.crontab.write(table)
  const first = await ada.adopt([...quiet, '--crontab', '--url', good.origin, '--json'], { input: token })
  expect(first.code).toBe(0)
  expect(JSON.parse(first.out)).toMatchObject({ found: { crontab: 3 }, wrapped: 2, folder: ada.host.root })
  const wrapped = ada.crontab.table() ?? ''
  expect(wrapped).toContain(`${ada.bin}/svc-exec backup --) /bin/sh -c 'cd /srv && ./backup.sh > /dev/null'`)
  expect(readFileSync(join(ada.host.svc, 'crontab.before'), 'utf8')).toBe(table)
  expect(statSync(join(ada.host.svc, 'crontab.before')).mode & 0o777).toBe(0o600)
  expect(readdirSync(ada.host.state)).not.toContain('crontab.before')

  ada.crontab.write(`${wrapped}0 4 * * * /opt/new.sh\n`)
  const again = await ada.adopt([...quiet, '--crontab'])
  expect(again).toMatchObject({ code: 0, out: expect.stringContaining('Jobs in the crontab now: new.') })
  expect(good.reports, 'a connection that works is not tested again').toHaveLength(1)

  const elsewhere = await ada.adopt([...quiet, '--url', 'http://127.0.0.1:9'])
  expect(elsewhere).toMatchObject({ code: 1, out: '' })
  expect(elsewhere.err).toContain(`is connected to ${good.origin}. Remove it first: svc adopt --remove`)

  const asked = await ada.adopt(['--remove'])
  expect(asked).toMatchObject({ code: 2, out: '' })
  expect(asked.err).toContain('+0 4 * * * /opt/new.sh')
  expect(asked.err).toContain('+++ crontab without these jobs')
  const adopted = ada.crontab.table()
  const dry = await ada.adopt(['--remove', '--yes', '--dry-run'])
  expect(dry).toMatchObject({ code: 0, out: expect.stringContaining('+0 4 * * * /opt/new.sh') })
  expect(dry.out).toContain('Nothing was removed.')
  expect(ada.crontab.table()).toBe(adopted)
  const removed = await ada.adopt(['--remove', '--yes'])
  expect(removed).toMatchObject({ code: 0, err: '' })
  expect(removed.out).toContain('Each of these crontab lines is as it was: backup, report, new.')
  expect(removed.out).toContain(`It is still listed in ${good.origin}: delete the agent`)
  expect(ada.crontab.table()).toBe(`${table}0 4 * * * /opt/new.sh\n`)
  expect(existsSync(ada.host.svc)).toBe(false)
  expect(existsSync(join(ada.host.state, 'crontab.before'))).toBe(true)
  expect((await ada.adopt(['--remove', '--yes'])).err).toContain('there is no agent in')
})

test.each(
  rowsOfLevel(
    [
      ['in the background', false, 'No service manager answers here. So it may end when you log out'],
      ['as a service', true, 'It starts at every boot: svc-vela-ada.service.'],
    ],
    1,
  ),
)('the agent starts %s, reports the jobs, and a removal ends it', async (_how, systemd, says) => {
  const good = await serviceOfTest()
  const ada = somebody({ systemd })
  ada.crontab.write(table)
  const args = ['--yes', '--crontab', '--url', good.origin, '--name', 'vela-ada']
  const started = await ada.adopt(args, { input: token })
  expect(started).toMatchObject({ code: 0, out: expect.stringContaining(says) })
  await becomes('a report with both jobs', () =>
    good.reports.some(({ text }) => text.includes('Job backup') && text.includes('Job report')),
  )
  expect(good.reports.map(({ text }) => text).join()).not.toContain('/srv')
  const holder = whoHolds(ada.host, 'runtime')
  expect((await ada.adopt(['--yes'])).out, 'it is not started twice').toContain('vela-ada is connected to')
  expect(whoHolds(ada.host, 'runtime')).toEqual(holder)
  expect((await ada.adopt(['--remove', '--yes'])).code).toBe(0)
  expect(whoHolds(ada.host, 'runtime')).toBeUndefined()
  expect(ada.crontab.table()).toBe(table)
})

test.skipIf(level === 'short')('a rotated token is asked for again', async () => {
  const good = await serviceOfTest()
  const ada = somebody()
  await ada.adopt([...quiet, '--url', good.origin], { input: token })
  const other = `svc_agt_${'B'.repeat(43)}`
  const file = join(ada.home, 'token')
  writeFileSync(file, other, { mode: 0o600 })
  expect((await ada.adopt([...quiet, '--token-file', file])).code).toBe(0)
  expect(readConnection(ada.host)).toMatchObject({ value: { token: other } })
  good.usual = json({ error: { code: 'unauthorized', message: 'No.' } }, 401)
  const refused = await ada.adopt([...quiet, '--token-file', file])
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('does not know this token') })
  expect(readConnection(ada.host), 'the connection that was there stays').toMatchObject({ value: { token: other } })
})

test.skipIf(level === 'short')('a crontab that somebody changes meanwhile is not overwritten', async () => {
  const good = await serviceOfTest()
  const ada = somebody()
  ada.crontab.write(table)
  good.usual = (response, came, socket) => {
    ada.crontab.write('0 1 * * * /opt/other.sh\n')
    json({ commands: [], interval: 30 })(response, came, socket)
  }
  const ran = await ada.adopt([...quiet, '--crontab', '--url', good.origin], { input: token })
  expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('Somebody has changed the crontab meanwhile') })
  expect(ada.crontab.table()).toBe('0 1 * * * /opt/other.sh\n')
})

test.each(
  rowsOfLevel(
    [
      ['refuses', 'before', 'echo "bad minute" >&2; exit 1', table, 'refused the new table: bad minute.'],
      [
        'changes',
        'after',
        'echo "0 1 * * * x" >"$SVC_TEST_CRONTAB/table"',
        '0 1 * * * x\n',
        'is not the one that was written',
      ],
    ] as const,
    1,
  ),
)('a table that crontab %s is named, and the one before is kept', async (_does, when, script, left, says) => {
  const good = await serviceOfTest()
  const ada = somebody()
  ada.crontab.write(table)
  ada.crontab.on(when, script)
  const ran = await ada.adopt([...quiet, '--crontab', '--url', good.origin], { input: token })
  const kept = join(ada.host.svc, 'crontab.before')
  expect(ran).toMatchObject({ code: 1, err: expect.stringContaining(says) })
  expect(ran.err).toContain(`The table before is in ${kept}.`)
  expect(readFileSync(kept, 'utf8')).toBe(table)
  expect(ada.crontab.table()).toBe(left)
})

test.skipIf(level === 'short')(
  'a table that cannot be read is refused with --crontab, and else only named',
  async () => {
    const says = 'The crontab cannot be read: "crontab -l" failed (exit 1).'
    const good = await serviceOfTest()
    const ada = somebody()
    ada.crontab.refuse('you may not use crontab')
    const asked = await ada.adopt([...quiet, '--crontab', '--url', good.origin], { input: token })
    expect(asked).toMatchObject({ code: 1, err: expect.stringContaining(says) })
    expect(ada.files()).toEqual([])
    const plain = await ada.adopt([...quiet, '--url', good.origin], { input: token })
    expect(plain).toMatchObject({ code: 0, err: expect.stringContaining(says) })
    const removed = await ada.adopt(['--remove', '--yes'])
    expect(removed).toMatchObject({ code: 0, err: expect.stringContaining('svc has never changed it') })
    expect(existsSync(ada.host.env)).toBe(false)
  },
)

test.skipIf(level === 'short')(
  'a table that cannot be read keeps a removal only if svc has changed it, and the other way is named',
  async () => {
    const good = await serviceOfTest()
    const ada = somebody()
    ada.crontab.write(table)
    await ada.adopt([...quiet, '--crontab', '--url', good.origin], { input: token })
    ada.crontab.refuse('you may not use crontab')
    const removed = await ada.adopt(['--remove', '--yes'])
    expect(removed).toMatchObject({ code: 1, out: '' })
    expect(removed.err).toContain('so nothing was removed. To remove the agent alone: svc remove --keep-state --dir')
    expect(existsSync(ada.host.env)).toBe(true)
    expect((await ada.svc(['remove', '--keep-state', '--yes', '--dir', ada.host.root])).code).toBe(0)
    expect(readFileSync(join(ada.host.state, 'crontab.before'), 'utf8')).toBe(table)
  },
)

test.skipIf(level === 'short')(
  'lines are put back in a table whose bytes are not UTF-8, and each other byte stays',
  async () => {
    const good = await serviceOfTest()
    const ada = somebody()
    ada.crontab.write(table)
    await ada.adopt([...quiet, '--crontab', '--url', good.origin], { input: token })
    const latin = Buffer.concat([Buffer.from('# M\xfcller\n', 'latin1'), Buffer.from(ada.crontab.table() ?? '')])
    ada.crontab.write(latin)
    expect(await ada.adopt(['--remove', '--yes'])).toMatchObject({ code: 0, err: '' })
    const put = Buffer.concat([Buffer.from('# M\xfcller\n', 'latin1'), Buffer.from(table)])
    expect(ada.crontab.bytes().equals(put)).toBe(true)
  },
)

test.skipIf(level === 'short')('what the service says is printed as one line', async () => {
  const good = await serviceOfTest()
  good.usual = json({ error: { code: 'refused', message: 'One\nNothing was written.\r\u2028two' } }, 400)
  const ada = somebody()
  ada.crontab.write(table)
  const ran = await ada.adopt([...quiet, '--url', good.origin], { input: token })
  expect(ran.code).toBe(1)
  expect(ran.err).toMatch(/^The test report to .*One Nothing was written\. ?two.*$/m)
})

test.each(rowsOfLevel(['home of ada', '100%', "it's"], 1))(
  'a path such as %s is not written into the crontab',
  async (name) => {
    const ada = somebody({ name })
    ada.crontab.write(table)
    const ran = await ada.adopt([...quiet, '--crontab', '--url', 'http://127.0.0.1:9'], { input: token })
    expect(ran).toMatchObject({ code: 1, out: '' })
    expect(ran.err).toContain(`The crontab cannot call ${ada.bin}/svc-exec: a shell or cron would read that path`)
    expect(ada.crontab.table()).toBe(table)
    expect(ada.files()).toEqual([])
  },
)

test.runIf(isRoot && level !== 'short')('a user id without a name, as in a container, can adopt', async () => {
  const ada = somebody()
  ada.crontab.write(table)
  chmodSync(join(ada.home, '..'), 0o755)
  chownSync(ada.home, 54_321, 54_321)
  const main = join(import.meta.dirname, '../../main.ts')
  const as = ['--reuid=54321', '--regid=54321', '--clear-groups', process.execPath, main]
  const ran = await promisify(execFile)('setpriv', [...as, 'adopt', '--dry-run', '--json'], { env: ada.env })
  expect(JSON.parse(ran.stdout)).toMatchObject({ found: { crontab: 3 } })
})

test.runIf(isRoot && level !== 'short')('root does not use the home folder of somebody else', async () => {
  const ada = somebody()
  chownSync(ada.home, 12345, 12345)
  const ran = await ada.adopt([...quiet, '--url', 'http://127.0.0.1:9'], { input: token })
  expect(ran).toMatchObject({ code: 1, out: '' })
  expect(ran.err).toContain(`The home folder ${ada.home} belongs to the user 12345, not to you (0).`)
  expect(ada.files()).toEqual([])
})

test('the output of jobs is kept by an option in the crontab, which a person agrees to', async () => {
  const good = await serviceOfTest()
  const ada = somebody()
  ada.crontab.write(table)
  const dry = await ada.adopt(['--dry-run', '--log', '--url', good.origin])
  expect(dry.out).toMatch(
    /\+0 3 .* backup --log --\) [\s\S]*cron mails none of it\. Admins of the page can request it\./,
  )
  await ada.adopt([...quiet, '--crontab', '--url', good.origin], { input: token })
  const without = ada.crontab.table() ?? ''
  const log = (...args: string[]) => ada.svc(['jobs', 'log', ...args])

  expect(await log('backup', 'on'), 'nobody agreed').toMatchObject({
    code: 2,
    err: expect.stringMatching(
      /\+0 3 .* backup --log --\)[\s\S]*cron mails none of it\. Admins of the page can request it\.[\s\S]*Add --yes/,
    ),
  })
  expect(ada.crontab.table()).toBe(without)
  expect(await log('backup', 'on', '--yes')).toMatchObject({ code: 0, out: expect.stringContaining('is kept from') })
  expect(ada.crontab.table()).toBe(without.replace('svc-exec backup --)', 'svc-exec backup --log --)'))
  expect(readFileSync(join(ada.host.svc, 'crontab.before'), 'utf8')).toBe(without)
  expect((await log('backup', 'on')).out).toBe('The output of backup is kept already. Nothing was changed.\n')
  expect(JSON.parse((await log('backup', 'off', '--yes', '--json')).out)).toMatchObject({ log: false, changed: 1 })
  expect(ada.crontab.table()).toBe(without)
  expect(await log('other', 'on')).toMatchObject({ code: 1, err: expect.stringContaining('not in the crontab') })
  expect(await log('backup', 'maybe')).toMatchObject({ code: 2, err: expect.stringContaining('on or off') })
})
