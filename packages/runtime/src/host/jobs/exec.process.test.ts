/**
 * Tests `svc-exec`, as `svc self install` writes it, with the built `svc.pyz`: a command ends, and is seen by others,
 * as it would without svc, and its record says how it ended. Each row of a table is a rule.
 */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { level, rowsOfLevel } from '../../../../../testing/level.ts'
import { python } from '../../../testing/folder.ts'
import { type Account, type JobOptions, newAccount, type RanJob } from '../../../testing/jobs.ts'
import { identityOf, isAlive } from '../../machine/process/identity.ts'
import { readJob } from './job-note.ts'
import { type RecordedRun, runLives } from './record.ts'

let ada: Account
beforeAll(async () => {
  ada = await newAccount()
})
afterAll(() => ada.remove())

let count = 0
/** A new name for each job, so that a test sees only its own records. */
const newName = () => `job-${count++}`
const lastRun = (job: string): RecordedRun => ada.runs(job).at(-1) ?? expect.fail(`no record of ${job}`)
const words = (line: string) => line.split(' ').filter(Boolean)

describe('the exit code is that of the command, and the record has it', () => {
  test.each<[string, string[], number, Partial<RecordedRun>]>([
    ['success', ['true'], 0, { status: 'ok' }],
    ['a failure', ['sh', '-c', 'exit 3'], 3, { status: 'failed' }],
    ['the largest code', ['sh', '-c', 'exit 255'], 255, { status: 'failed' }],
    ['SIGKILL', ['sh', '-c', 'kill -9 $$'], 137, { status: 'failed', signal: 'SIGKILL' }],
    ['SIGTERM', ['sh', '-c', 'kill $$'], 143, { status: 'failed', signal: 'SIGTERM' }],
    ['a program that is not there', ['svc-no-such-program'], 127, { status: 'failed' }],
    ['an empty name of a program', [''], 127, { status: 'failed' }],
    ['a file that cannot be executed', ['/etc/passwd'], 126, { status: 'failed' }],
    ['a folder', ['/etc'], 126, { status: 'failed' }],
  ])('%s', async (_what, command, code, run) => {
    const job = newName()
    expect(await ada.exec([job, '--', ...command])).toMatchObject({ code, out: '' })
    const { id, started, ended, ...record } = lastRun(job)
    expect(record).toMatchObject({ exit: code, ...run })
    expect(Number(ended) - started).toBeGreaterThanOrEqual(0)
    expect(Number(id.split('-')[0])).toBeGreaterThanOrEqual(started * 1000)
  })
})

describe('without a command nothing is run, and the exit code is 125', () => {
  test.each(['', 'backup', 'backup --every 1d', 'backup --', 'backup true'])('svc-exec %s', async (line) => {
    const { code, out, err } = await ada.exec(words(line))
    expect({ code, out }).toEqual({ code: 125, out: '' })
    expect(err).toContain('Nothing was run')
  })
})

describe('a mistake in the options never stops the command: it is named, and the command runs plainly', () => {
  test.each([
    ['Backup --', '-', 'got "Backup"'],
    ['--log backup --', '-', 'The first word must be the name'],
    ['unrecorded --', '-', 'not "unrecorded"'],
    ['backup --evry 1d --', 'backup', 'There is no option "--evry"'],
    ['backup --every daily --', 'backup', '--every needs a whole number'],
    ['backup --timeout 0s --', 'backup', 'got "0s"'],
    ['backup --cron @fortnightly --', 'backup', 'The schedule'],
    ['backup --cron @daily --tz Mars/Olympus --', 'backup', 'time zone'],
    ['backup --tz UTC --', 'backup', '--tz is the time zone of --cron'],
    ['backup --every 1d --cron @daily --', 'backup', 'not both'],
  ])('svc-exec %s', async (line, name, says) => {
    mkdirSync(ada.jobs, { recursive: true })
    rmSync(join(ada.jobs, 'unrecorded'), { force: true })
    const ran = await ada.exec([...words(line), 'sh', '-c', 'echo done; echo "$SVC_JOB"; exit 4'])
    expect(ran).toMatchObject({ code: 4, out: 'done\n\n' })
    expect(ran.err).toContain(says)
    expect(ran.err).toContain('The command runs, but svc does not record it.')
    expect(ada.unrecorded()).toEqual([`${name} wrong-usage`])
    expect(existsSync(join(ada.jobs, 'backup'))).toBe(false)
  })

  test('also before there is a folder for jobs', async () => {
    const state = join(ada.home, 'nothing yet')
    const ran = await ada.exec(['Backup', '--', 'true'], { env: { XDG_STATE_HOME: state } })
    expect([ran.code, existsSync(state)]).toEqual([0, false])
  })
})

test('a schedule is noted with the time when it was first given, and a run without one drops it', async () => {
  const job = newName()
  const note = () => readJob(join(ada.jobs, job))
  await ada.exec([job, ...words('--cron @daily --tz Europe/Berlin --grace 2h --timeout 1h --'), 'true'])
  const first = note()
  const since = lastRun(job).started
  const given = { cron: '@daily', tz: 'Europe/Berlin', grace: 7200, timeout: 3600, by: 'command' }
  expect(first).toEqual({ name: job, ...given, since })
  await ada.exec([job, '--', 'true'])
  expect(note()).toEqual({ name: job })
})

function inPath(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const isLinux = process.platform === 'linux'
/** A program that shows what it was given: variables, open files, limits, signals, group, folder. */
const probe = `import os
status = dict(l.split(':\\t', 1) for l in open('/proc/self/status') if ':\\t' in l)
print([status[k].strip() for k in ('SigBlk', 'SigIgn', 'Umask', 'NSpgid', 'NSsid')])
print(open('/proc/self/limits').read())
for fd in sorted(os.listdir('/proc/self/fd'), key=int):
    try: print(fd, os.readlink('/proc/self/fd/' + fd).split(':')[0].replace('in', 'x').replace('out', 'x'), os.get_blocking(int(fd)))
    except OSError: pass
print(os.getcwd())
print(open('/proc/self/cmdline', 'rb').read())
for entry in sorted(open('/proc/self/environ', 'rb').read().split(b'\\0')): print(entry)
`

/** The real Python, even if `python3` in the PATH is a wrapper that changes PATH. */
const pythonFile = python ? execFileSync('python3', ['-c', 'import sys; print(sys.executable)']).toString().trim() : ''
const isVariable = (line: string) => /SVC_JOB=|SVC_RUN_FILE=/.test(line)

describe.runIf(isLinux && python)('the command sees what it would see without svc, but for two variables', () => {
  const before = 'exec </dev/null; '
  const odd = `trap '' HUP PIPE; ulimit -S -n 300; umask 027; exec 3</dev/null 7>>seven; export ODD="$(printf 'M\\374ller')"; `
  const settings = {
    env: {
      PWD: undefined,
      SVC_AGENT_DIR: '/srv/a',
      NODE_OPTIONS: '--no-warnings',
      NODE_EXTRA_CA_CERTS: '/nowhere/certificates.pem',
      MALLOC_ARENA_MAX: '1',
    },
  }
  const seen = async (line: string, options: JobOptions = settings) => (await ada.line(line, options)).out.split('\n')
  const command = () => `${pythonFile} -S probe.py 'two words' "$(printf 'b\\374ro')" '' '*'`

  test.each([
    ['usually', before],
    ['with ignored signals, further files, a limit, and bytes that are not UTF-8', before + odd],
  ])('started by svc-exec %s', async (_when, setting) => {
    writeFileSync(join(ada.home, 'probe.py'), probe)
    const plain = await seen(`${setting} exec ${command()}`)
    expect(plain.length, plain.join('\n')).toBeGreaterThan(30)
    const job = newName()
    const jobs = await seen(`${setting} exec svc-exec ${job} -- ${command()}`)
    expect(jobs.filter((line) => !isVariable(line))).toEqual(plain)
    const variables = jobs.filter(isVariable).join('\n')
    expect(variables).toContain(`SVC_JOB=${job}'`)
    expect(variables).toContain(`SVC_RUN_FILE=${join(ada.jobs, job, lastRun(job).id)}.run'`)
  })

  test.each([
    ['svc exec', () => '"$HOME/bin/svc" exec'],
    ['Python', () => `${pythonFile} "$HOME/bin/svc" exec`],
  ])('started by %s', async (_by, start) => {
    writeFileSync(join(ada.home, 'probe.py'), probe)
    const env = {
      ...settings.env,
      MALLOC_ARENA_MAX: undefined,
      NODE_OPTIONS: undefined,
      NODE_EXTRA_CA_CERTS: undefined,
    }
    const line = `${before} export ODD="$(printf 'M\\374ller')"; exec `
    const plain = await seen(`${line} ${command()}`, { env })
    const job = newName()
    const jobs = await seen(`${line} ${start()} ${job} -- ${command()}`, { env })
    expect(jobs.filter((each) => !isVariable(each))).toEqual(plain)
    expect(lastRun(job).status).toBe('ok')
  })

  test('the command is in the process group of svc, or with a timeout in a session of its own', async () => {
    const [first, own] = [newName(), newName()]
    const groups = 'cut -d" " -f5,6 /proc/self/stat'
    const here = (
      await ada.line(`${groups}; svc-exec ${first} -- ${groups}; svc-exec ${own} --timeout 1h -- ${groups}`)
    ).out
    const [plain, same, another] = here.trim().split('\n')
    expect(same).toBe(plain)
    const [group, session] = another?.split(' ') ?? []
    expect([group, lastRun(own).pid]).toEqual([session, Number(session)])
  })
})

test('the command reads standard input and writes large outputs, and its end is seen at once', async () => {
  const input = 'x'.repeat(1_000_000)
  expect((await ada.exec([newName(), '--', 'cat'], { input })).out).toBe(input)
  const copied = await ada.line(`yes | head -c 3000000 | svc-exec ${newName()} -- cat | (sleep 0.2; wc -c)`)
  expect(copied.out.trim()).toBe('3000000')
})

test('a child in the background does not delay the end, and lives on', async () => {
  const job = newName()
  const { out } = await ada.exec([job, '--', 'sh', '-c', 'sleep 1000 >/dev/null 2>&1 & echo $!'])
  const child = identityOf(Number(out))
  expect(child && isAlive(child)).toBe(true)
  process.kill(Number(out), 'SIGKILL')
  expect(lastRun(job).status).toBe('ok')
})

describe('what NODE_OPTIONS say is for the command alone', () => {
  test.each(['--require /nowhere/missing.js', '--no-such-option', '--inspect=127.0.0.1:1'])('%s', async (options) => {
    const job = newName()
    const ran = await ada.exec([job, '--', 'sh', '-c', 'echo "$NODE_OPTIONS"'], { env: { NODE_OPTIONS: options } })
    expect(ran).toEqual({ code: 0, out: `${options}\n`, err: '' })
    expect(lastRun(job).status).toBe('ok')
  })
})

/** A command that prints "ready" and then ends with code 9 when it gets this signal. */
const trapping = (signal: string) => ['sh', '-c', `trap 'exit 9' ${signal}; echo ready; while :; do sleep 0.05; done`]

describe('signals go to the command', () => {
  test.each(['TERM', 'HUP', 'INT', 'QUIT', 'USR1', 'USR2'])('SIG%s', async (signal) => {
    const job = newName()
    const child = ada.starts([job, '--', ...trapping(signal)])
    await once(child.stdout ?? expect.fail(), 'data')
    child.kill(`SIG${signal}` as NodeJS.Signals)
    expect((await once(child, 'exit'))[0]).toBe(9)
    expect(lastRun(job)).toMatchObject({ status: 'failed', exit: 9 })
  })

  test('with a timeout they go to its whole group', async () => {
    const job = newName()
    const [, , script = ''] = trapping('TERM')
    const child = ada.starts([job, '--timeout', '1h', '--', 'sh', '-c', 'sh -c "$0"; exit 7', script])
    await once(child.stdout ?? expect.fail(), 'data')
    child.kill('SIGTERM')
    expect((await once(child, 'close'))[0], 'the child of the command has ended, too').toBe(143)
    expect(lastRun(job)).toMatchObject({ status: 'failed', signal: 'SIGTERM' })
  })

  test('nohup protects a command as it does without svc', async () => {
    const job = newName()
    const child = ada.starts(
      [ada.svcExec, job, '--', 'sh', '-c', 'echo ready; while [ ! -e go ]; do sleep 0.05; done'],
      {
        by: ['nohup'],
      },
    )
    await once(child.stdout ?? expect.fail(), 'data')
    child.kill('SIGHUP')
    writeFileSync(join(ada.home, 'go'), '')
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(lastRun(job).status).toBe('ok')
  })

  test.runIf(python)('a terminal sends Ctrl-C to the command, so svc does not hand it on', async () => {
    const job = newName()
    const terminal = join(import.meta.dirname, '../../../testing/terminal.py')
    const command = "trap 'echo interrupted' INT; echo READY; until read x; do :; done; exit 5"
    const ran = await ada.exec([terminal, 'READY', '\u0003', ada.svcExec, job, '--', 'sh', '-c', command], {
      by: ['python3'],
    })
    expect([ran.out.match(/interrupted/g)?.length, ran.code]).toEqual([1, 5])
    expect(lastRun(job)).toMatchObject({ status: 'failed', exit: 5 })
  })

  test('after kill -9 of svc the command goes on, and its run is lost when it ends', async () => {
    const job = newName()
    const child = ada.starts([
      job,
      '--log',
      '--',
      'sh',
      '-c',
      'echo on; while [ ! -e enough ]; do sleep 0.05; done; echo off',
    ])
    const log = join(ada.jobs, job, 'last.log')
    await eventually('a record of a run', () => expect(runLives(lastRun(job))).toBe(true))
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(runLives(lastRun(job))).toBe(true)
    expect((await ada.exec([job, '--no-overlap', '--', 'false'])).code, 'it still counts').toBe(0)
    writeFileSync(join(ada.home, 'enough'), '')
    await eventually('the end of the command', () => expect(readFileSync(log, 'utf8')).toBe('on\noff\n'))
    await eventually('a lost run', () => expect(ada.runs(job).some(runLives)).toBe(false))
    expect(ada.runs(job).map(({ status }) => status)).toEqual(['running', 'skipped'])
  })
})

test('with --no-overlap a run is skipped while another one lives, and only then', async () => {
  const job = newName()
  const first = ada.starts([job, '--', ...trapping('TERM')])
  await eventually('a record of a run', () => expect(runLives(lastRun(job))).toBe(true))
  expect(await ada.exec([job, '--no-overlap', '--', 'echo', 'x'])).toEqual({ code: 0, out: '', err: '' })
  expect((await ada.exec([job, '--', 'echo', 'x'])).out, 'without the option').toBe('x\n')
  first.kill('SIGTERM')
  await once(first, 'exit')
  expect((await ada.exec([job, '--no-overlap', '--', 'echo', 'x'])).out).toBe('x\n')
  expect(ada.runs(job).map(({ status }) => status)).toEqual(['failed', 'skipped', 'ok', 'ok'])
})

describe('after its time the whole group of a command is ended', () => {
  const env = { SVC_TIME_SCALE: '0.02' }
  test.each([
    ['with SIGTERM', 'sleep 1000 & echo $!; sleep 1000'],
    [
      'with SIGKILL if it ignores that',
      `trap '' TERM; (while :; do sleep 0.1; done) & echo $!; while :; do sleep 0.1; done`,
    ],
    ['also if the command itself ends at SIGTERM', `(trap '' TERM; while :; do sleep 0.1; done) & echo $!; sleep 1000`],
  ])('%s', async (_how, script) => {
    const job = newName()
    const ran = await ada.exec([job, '--timeout', '20s', '--', 'sh', '-c', script], { env })
    expect(ran.code).toBe(124)
    expect(identityOf(Number(ran.out))).toBeUndefined()
    expect(lastRun(job)).toMatchObject({ status: 'timeout', exit: 124 })
  })

  test.runIf(isLinux)('and so are its processes in sessions of their own', async () => {
    const job = newName()
    const script = `setsid sh -c 'echo $$; sleep 1000' & setsid sh -c 'trap "" TERM; echo $$; while :; do sleep 0.1; done' & sleep 1000`
    const ran = await ada.exec([job, '--timeout', '20s', '--', 'sh', '-c', script], { env })
    expect(ran.code).toBe(124)
    const pids = ran.out.trim().split('\n').map(Number)
    expect(pids).toHaveLength(2)
    for (const pid of pids) expect(identityOf(pid)).toBeUndefined()
  })

  test('a command that ends in time is not touched', async () => {
    const job = newName()
    expect((await ada.exec([job, '--timeout', '300d', '--', 'sh', '-c', 'exit 6'])).code).toBe(6)
    expect(lastRun(job)).toMatchObject({ status: 'failed', exit: 6 })
  })
})

describe('the output of a run with --log', () => {
  const log = (job: string, name = 'last.log') => readFileSync(join(ada.jobs, job, name), 'utf8')

  test('goes to last.log, and that of the run before to last.log.1', async () => {
    const job = newName()
    const run = (text: string) => ada.exec([job, '--log', '--', 'sh', '-c', `echo ${text}; echo error >&2`])
    expect(await run('one')).toEqual({ code: 0, out: '', err: '' })
    await run('two')
    expect([log(job), log(job, 'last.log.1')]).toEqual(['two\nerror\n', 'one\nerror\n'])
    expect(statSync(join(ada.jobs, job, 'last.log')).mode & 0o777).toBe(0o600)
    expect(lastRun(job).log).toBe(`job/${job}`)
    await ada.exec([job, '--', 'true'])
    expect([lastRun(job).log, log(job)], 'without the option nothing changes').toEqual([undefined, 'two\nerror\n'])
  })

  test('keeps its end if it is large, while the command runs and afterwards', async () => {
    const job = newName()
    const lines = (count: number, text: string) => `yes ${text} | head -c ${count}`
    const wait = 'while [ "$(wc -c < "$1")" -gt 2000000 ]; do sleep 0.05; done'
    const script = `${lines(2_500_000, 'first')}; ${wait}; ${lines(2_500_000, 'second')}; echo end`
    const file = join(ada.jobs, job, 'last.log')
    expect((await ada.exec([job, '--log', '--', 'sh', '-c', script, 'sh', file])).code).toBe(0)
    expect(log(job, 'last.log.1')).toMatch(/^(first\n){40000,}first?/)
    expect(log(job)).toMatch(/^(second\n){30000,}\w*end\n$/)
    for (const name of ['last.log', 'last.log.1']) {
      const { size } = statSync(join(ada.jobs, job, name))
      expect(size).toBeLessThanOrEqual(256 * 1024)
      expect(size).toBeGreaterThan(255 * 1024)
    }
  })

  test.each(
    rowsOfLevel(
      [
        ['before the file was emptied', 'echo reason; $wait', /^(first\n){30000,}\w*reason\n$/],
        ['after that', 'echo early; $wait; echo reason', /^(first\n){30000,}\w*early\nreason\n$/],
        [
          'after that, with much more',
          `$wait; yes second | head -c 300000; echo reason`,
          /^(second\n){30000,}\w*reason\n$/,
        ],
      ],
      1,
    ),
  )('shows at the end why the command failed, also if it said so %s', async (_when, script, shown) => {
    const job = newName()
    const file = join(ada.jobs, job, 'last.log')
    const wait = 'while [ -s "$1" ]; do sleep 0.05; done'
    const whole = `yes first | head -c 2500000; ${script.replace('$wait', wait)}; exit 3`
    expect((await ada.exec([job, '--log', '--', 'sh', '-c', whole, 'sh', file])).code).toBe(3)
    expect(log(job)).toMatch(shown)
    expect(log(job).length).toBeLessThanOrEqual(300_010)
  })

  test('of a run that failed, its last lines stay in failed.log until the next failure', async () => {
    const job = newName()
    const run = (script: string, ...options: string[]) => ada.exec([job, '--log', ...options, '--', 'sh', '-c', script])
    await run('seq 1 30; exit 3')
    const lines = `${Array.from({ length: 20 }, (_, at) => at + 11).join('\n')}\n`
    expect([log(job, 'failed.log'), lastRun(job).log]).toEqual([lines, `failed/${job}`])
    expect(statSync(join(ada.jobs, job, 'failed.log')).mode & 0o777).toBe(0o600)
    await run('echo fine')
    expect([log(job, 'failed.log'), lastRun(job).log]).toEqual([lines, `job/${job}`])
    await run('exit 4')
    expect([log(job, 'failed.log'), lastRun(job).log], 'it printed nothing').toEqual([lines, `job/${job}`])
    await run('echo too slow; sleep 60', '--timeout', '1s')
    expect([log(job, 'failed.log'), lastRun(job).log]).toEqual(['too slow\n', `failed/${job}`])
    await ada.exec([job, '--', 'sh', '-c', 'echo secret; exit 5'])
    expect([log(job, 'failed.log'), lastRun(job).log], 'without --log').toEqual(['too slow\n', undefined])
  })

  test.skipIf(level === 'short')('of a run that failed is kept also if it was moved meanwhile', async () => {
    const job = newName()
    const wait = 'while [ -s "$1" ]; do sleep 0.05; done'
    const script = `yes first | head -c 2500000; echo early; ${wait}; exit 3`
    await ada.exec([job, '--log', '--', 'sh', '-c', script, 'sh', join(ada.jobs, job, 'last.log')])
    expect(log(job, 'failed.log')).toMatch(/^(first\n){18,19}(?:first)?early\n$|^(first\n){19}\w*early\n$/)
  })

  test('never follows a link that lies in its place', async () => {
    const job = newName()
    mkdirSync(join(ada.jobs, job), { recursive: true })
    const other = join(ada.home, 'other')
    writeFileSync(other, 'mine\n')
    symlinkSync(other, join(ada.jobs, job, 'last.log'))
    await ada.exec([job, '--log', '--', 'echo', 'x'])
    expect([readFileSync(other, 'utf8'), log(job)]).toEqual(['mine\n', 'x\n'])
  })
})

describe('what a command writes to SVC_RUN_FILE is merged into its record', () => {
  test.each<[string, string, Partial<RecordedRun>]>([
    [
      'all of it',
      `echo '{"cost_usd": 0.12, "output_tokens": 900, "models": {"m": 0.12}, "subjects": [{"title": "a"}]}' > "$SVC_RUN_FILE"`,
      { cost_usd: 0.12, output_tokens: 900, models: { m: 0.12 }, subjects: [{ title: 'a' }] },
    ],
    [
      'without wrong fields',
      `echo '{"cost_usd": "a lot", "output_tokens": 7, "status": "bad"}' > "$SVC_RUN_FILE"`,
      { output_tokens: 7 },
    ],
    ['nothing that is not JSON', 'echo nonsense > "$SVC_RUN_FILE"', {}],
    [
      'nothing that is too large',
      `(printf '{"cost_usd":1'; yes ' ' | head -c 1000000; echo '}') > "$SVC_RUN_FILE"`,
      {},
    ],
    ['nothing of a pipe', 'mkfifo "$SVC_RUN_FILE"', {}],
    ['nothing of a folder', 'mkdir "$SVC_RUN_FILE"', {}],
    ['nothing of a file that cannot be read', 'ln -s /nowhere "$SVC_RUN_FILE"', {}],
  ])('%s', async (_what, script, told) => {
    const job = newName()
    expect(await ada.exec([job, '--', 'sh', '-c', script])).toEqual({ code: 0, out: '', err: '' })
    const { id, started, ended, pid, start, boot, ...record } = lastRun(job)
    expect(record).toEqual({ status: 'ok', exit: 0, ...told })
  })
})

test('the newest 100 runs of a job are kept', async () => {
  const job = newName()
  await ada.exec([job, '--', 'true'])
  const folder = join(ada.jobs, job)
  const { id } = lastRun(job)
  for (let n = 0; n < 120; n++) writeFileSync(join(folder, `${1_700_000_000_000 + n}-a.json`), 'damaged')
  writeFileSync(join(folder, '1700000000000-a.run'), '')
  await ada.exec([job, '--', 'true'])
  const names = readdirSync(folder).filter((name) => name !== 'job.json')
  expect(names.length).toBe(100)
  expect(names).toContain(`${id}.json`)
  expect(names).toContain(`${1_700_000_000_000 + 119}-a.json`)
})

describe('whatever is wrong with svc, the command runs', () => {
  const command = ['sh', '-c', 'cat; echo "$0 $1"; exit 5', 'a b', '*']
  const runs = (options: JobOptions = {}, job = 'backup') =>
    ada.exec([job, '--log', '--', ...command], { input: 'in ', ...options })
  const asPlain: RanJob = { code: 5, out: 'in a b *\n', err: '' }

  const whole = () => readFileSync(ada.svc)
  /** The offset in `svc.pyz` of the end of the code that the launcher loads. */
  const directEnd = () => {
    const [, at, length] = /\n\/\/direct (\d+) (\d+)\n/.exec(whole().toString('latin1', 0, 500)) ?? []
    return Number(at) + Number(length)
  }
  test.each<[string, string, () => string | Buffer | undefined]>([
    ['is missing', 'no-svc', () => undefined],
    ['is empty', 'svc-damaged', () => ''],
    ['is truncated', 'svc-damaged', () => whole().subarray(0, 300_000)],
    ['is truncated at its end', 'svc-damaged', () => whole().subarray(0, directEnd() - 1000)],
    ['is truncated in its first line', 'svc-damaged', () => whole().subarray(0, 30)],
    ['is binary', 'svc-damaged', () => Buffer.alloc(5000, 0xf3)],
    ['throws', 'svc-damaged', () => 'throw new Error("x")'],
    ['rejects', 'svc-damaged', () => 'Promise.reject(new Error("x"))'],
    ['ends at once', 'svc-damaged', () => '0'],
    [
      'has another part',
      'svc-damaged',
      () =>
        whole()
          .toString('latin1')
          .replaceAll(/\/\/[\w+/=]{200,}\n/g, '//\n'),
    ],
  ])('svc %s', async (_what, reason, damaged) => {
    const bytes = whole()
    const { mode } = statSync(ada.svc)
    mkdirSync(ada.jobs, { recursive: true })
    rmSync(join(ada.jobs, 'unrecorded'), { force: true })
    const content = damaged()
    rmSync(ada.svc)
    if (content !== undefined) writeFileSync(ada.svc, content, { mode })
    try {
      expect(await runs()).toEqual(asPlain)
      expect(ada.unrecorded()).toEqual([`backup ${reason}`])
      expect(await runs({}, 'Backup')).toEqual(asPlain)
      expect(ada.unrecorded().at(-1)).toBe(`- ${reason}`)
    } finally {
      writeFileSync(ada.svc, bytes, { mode })
    }
  })

  test.each([
    ['is missing', 'no-node', undefined],
    ['is a folder', 'no-node', 'folder'],
    ['is damaged', 'node-does-not-start', 'no program'],
    ['does not know its flags', 'node-does-not-start', '#!/bin/sh\nexit 9\n'],
  ])('Node %s', async (_what, reason, content) => {
    const node = join(ada.home, 'node')
    rmSync(node, { recursive: true, force: true })
    if (content === 'folder') mkdirSync(node)
    else if (content !== undefined) writeFileSync(node, content, { mode: 0o755 })
    const other = join(ada.home, 'svc-exec-2')
    const text = readFileSync(ada.svcExec, 'utf8').replace(/^svc_exec_node=.*$/m, `svc_exec_node='${node}'`)
    writeFileSync(other, text, { mode: 0o755 })
    mkdirSync(ada.jobs, { recursive: true })
    rmSync(join(ada.jobs, 'unrecorded'), { force: true })
    expect(await runs({ by: [other] })).toEqual(asPlain)
    expect(ada.unrecorded()).toEqual([`backup ${reason}`])
    expect((await ada.exec(['backup', '--', 'nosuch'], { by: [other] })).code).toBe(127)
    expect((await ada.exec(['backup', '--'], { by: [other] })).code).toBe(125)
  })

  test('there is too little memory for Node', async () => {
    const { err, ...ran } = await ada.line(`ulimit -v 300000; svc-exec backup -- echo done`)
    expect(ran).toEqual({ code: 0, out: 'done\n' })
  })

  const file = () => {
    writeFileSync(join(ada.home, 'file'), '')
    return join(ada.home, 'file')
  }
  test.each<[string, () => Record<string, string | undefined>]>([
    ['has a file in its place', () => ({ SVC_JOBS_DIR: file() })],
    ['is below a file', () => ({ SVC_JOBS_DIR: join(file(), 'jobs') })],
    ['is below /proc', () => ({ SVC_JOBS_DIR: '/proc/svc/jobs' })],
    ['has a name that is too long', () => ({ SVC_JOBS_DIR: `/tmp/${'x'.repeat(300)}/jobs` })],
  ])('the folder %s', async (_what, env) => {
    const { err, ...ran } = await runs({ env: env() })
    expect(ran).toEqual({ code: 5, out: 'in a b *\n' })
    expect(err).toMatch(/^svc exec: Job backup runs, but svc cannot record it: .*\.\n$/)
    const told = await ada.exec(['backup', '--', 'sh', '-ec', 'echo 1 > "$SVC_RUN_FILE"; echo $SVC_JOB'], {
      env: env(),
    })
    expect([told.code, told.out]).toEqual([0, 'backup\n'])
  })

  test.runIf(process.getuid?.() === 0)('the folder belongs to another user', async () => {
    const jobs = join(ada.home, 'of another')
    mkdirSync(jobs)
    chownSync(jobs, 1234, 1234)
    const { err, ...ran } = await runs({ env: { SVC_JOBS_DIR: jobs } })
    expect(ran).toEqual({ code: 5, out: 'in a b *\n' })
    expect(err).toContain(`${jobs} belongs to another user (1234)`)
    expect(readdirSync(jobs)).toEqual([])
    const { err: errBelow } = await runs({ env: { SVC_JOBS_DIR: join(jobs, 'jobs') } })
    expect(errBelow).toContain('belongs to another user')
    expect(readdirSync(jobs)).toEqual([])
  })

  test('the working folder is gone', async () => {
    const ran = await ada.line('mkdir gone; cd gone; rmdir ../gone; exec svc-exec here -- sh -c "echo done; exit 5"')
    expect([ran.code, ran.out]).toEqual([5, 'done\n'])
    expect(lastRun('here').exit).toBe(5)
  })
})

const shells = ['dash', 'bash', 'ksh', 'mksh', 'zsh', 'busybox'].filter((shell) => inPath(shell))
test.each(shells)('the launcher works with %s as sh', async (shell) => {
  const job = newName()
  const by = [...(shell === 'busybox' ? ['busybox', 'sh'] : [shell]), ada.svcExec]
  const command = ['sh', '-c', 'cat; echo "$0 $1"; exit 5', 'a b', '*']
  expect(await ada.exec([job, '--', ...command], { by, input: 'in ' })).toEqual({ code: 5, out: 'in a b *\n', err: '' })
  expect(lastRun(job)).toMatchObject({ status: 'failed', exit: 5 })
  const text = readFileSync(ada.svcExec, 'utf8').replace(/^svc_exec_node=.*$/m, 'svc_exec_node=/nowhere')
  const without = join(ada.home, 'without-node')
  writeFileSync(without, text)
  const plain = await ada.exec([job, '--', ...command], { by: [...by.slice(0, -1), without], input: 'in ' })
  expect(plain).toEqual({ code: 5, out: 'in a b *\n', err: '' })
  expect(ada.unrecorded().at(-1)).toBe(`${job} no-node`)
})
