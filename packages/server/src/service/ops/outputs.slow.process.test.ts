/**
 * Tests outputs that do not accept what is written: full disks, closed pipes and readers that do not read, for the log,
 * standard output and the files that the service and its commands write. `npm test` leaves this out.
 * packages/server/src/platform/lines.test.ts proves the same rules.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { newServiceHome, populate, report, type ServiceHome } from '../../../testing/service-process.ts'
import { fill, mayMount, smallDisk } from '../../../testing/small-disk.ts'

type Output = 'ignore' | 'pipe' | number

/** Starts a program of the service with these outputs. */
function run(home: ServiceHome, args: string[], [stdout, stderr]: [Output, Output]): ChildProcess {
  const child = spawn(process.execPath, [home.program, ...args], {
    cwd: home.folder,
    env: home.env,
    stdio: ['ignore', stdout, stderr],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

const ended = async (child: ChildProcess) => (await once(child, 'exit'))[0] as number | null

function opened(file: string, flags: string): number {
  const fd = openSync(file, flags)
  onTestFinished(() => closeSync(fd))
  return fd
}

const isUp = (home: ServiceHome) =>
  eventually('the service answers', async () => expect((await fetch(`${home.opsUrl}/healthz`)).status).toBe(200))

const metric = async (home: ServiceHome, name: string) => {
  const text = await (await fetch(`${home.opsUrl}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1])
}

const failedSignIn = (home: ServiceHome) =>
  fetch(`${home.url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: home.url },
    body: JSON.stringify({ email: 'nobody@example.org', password: 'wrong password' }),
  }).then(({ status }) => status)

test.each(['stdout and stderr at a full disk', 'stdout and stderr at closed pipes'])(
  'the service runs with %s, counts the lost lines, and ends with 0',
  async (how) => {
    const home = await newServiceHome()
    const closes = how.includes('closed')
    const full = closes ? 'pipe' : opened('/dev/full', 'w')
    const child = run(home, ['start'], [full, full])
    child.stdout?.destroy()
    child.stderr?.destroy()
    await isUp(home)
    const { token } = await populate(home)
    for (let i = 0; i < 30; i++) expect(await failedSignIn(home)).toBeGreaterThanOrEqual(400)
    expect((await report(home.url, token)).status).toBe(200)
    expect(await metric(home, 'svc_log_lines_lost_total')).toBeGreaterThanOrEqual(30)
    child.kill('SIGTERM')
    expect(await ended(child)).toBe(0)
  },
)

test('a reader of the log that reads nothing does not stop the service', async () => {
  const home = await newServiceHome({ SVC_LOG_LEVEL: 'trace' })
  const child = run(home, ['start'], ['pipe', 'pipe'])
  await once(child.stdout as NodeJS.ReadableStream, 'data')
  const asks = 400
  for (let i = 0; i < asks; i++) await fetch(`${home.url}/${'x'.repeat(290)}`)
  expect((await fetch(`${home.opsUrl}/healthz`)).status).toBe(200)
  let log = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const lines = () => log.split('\n').filter((line) => line.includes('xxx')).length
  await eventually('every line arrives', () => expect(lines()).toBe(asks))
  child.kill('SIGTERM')
  expect(await ended(child)).toBe(0)
})

test.skipIf(!mayMount)(
  'when the full disk of the log has room again, the log says how many lines were lost',
  async () => {
    const home = await newServiceHome()
    const disk = smallDisk(home) as string
    const file = join(disk, 'log')
    const filling = fill(disk)
    const child = run(home, ['start'], ['pipe', opened(file, 'a')])
    await once(child.stdout as NodeJS.ReadableStream, 'data')
    const { token } = await populate(home)
    for (let i = 0; i < 20; i++) await failedSignIn(home)
    expect((await report(home.url, token)).status).toBe(200)
    const lost = await metric(home, 'svc_log_lines_lost_total')
    expect(lost).toBeGreaterThanOrEqual(20)
    rmSync(filling)
    await failedSignIn(home)
    const lines = await eventually('the notice is in the log', () => {
      const all = readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('{'))
      expect(all.some((line) => line.includes('were lost'))).toBe(true)
      return all
    })
    const notice = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg.includes('were lost'))
    expect(notice).toMatchObject({ level: 'warn', lost: expect.any(Number), code: 'ENOSPC' })
    expect(notice.lost).toBeGreaterThanOrEqual(lost)
    child.kill('SIGTERM')
    expect(await ended(child)).toBe(0)
  },
)

test('a start whose output cannot be printed names the command that prints the link', async () => {
  const home = await newServiceHome()
  const child = run(home, ['start'], [opened('/dev/full', 'w'), 'pipe'])
  let log = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  await eventually('the log says so', () => expect(log).toContain('could not be printed'))
  expect(log).toContain('no space is left on the disk (ENOSPC)')
  expect(log).toContain('svc-server link')
  expect(log).not.toContain('a bug of the service')
  expect(await home.value(['link'])).toEqual({ link: expect.stringMatching(/\/start[?#]token=/) })
  child.kill('SIGTERM')
  expect(await ended(child)).toBe(0)
})

const printing: [string, string[]][] = [
  ['a list', ['workspace', 'list']],
  ['help', ['--help']],
  ['the version', ['--version']],
  ['the help of a command', ['agent', 'create', '--help']],
]

test.each(printing)('a command that prints %s to a closed pipe ends silently with 141', async (_what, args) => {
  const home = await newServiceHome()
  await home.run(['workspace', 'create', 'north'])
  const child = run(home, args, ['pipe', 'pipe'])
  child.stdout?.destroy()
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  expect([await ended(child), said]).toEqual([141, ''])
})

test.each(printing)('a command that prints %s to a full disk says so and ends with 1', async (_what, args) => {
  const home = await newServiceHome()
  await home.run(['workspace', 'create', 'north'])
  const child = run(home, args, [opened('/dev/full', 'w'), 'pipe'])
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  expect([await ended(child), said]).toEqual([
    1,
    'svc-server: The command was carried out, but its result could not be printed: no space is left on the disk (ENOSPC).\n',
  ])
})

test('a refused command whose standard error is full or closed still ends with its code', async () => {
  const home = await newServiceHome()
  const full = run(home, ['agent', 'show', 'north/mail'], ['ignore', opened('/dev/full', 'w')])
  expect(await ended(full)).toBe(1)
  const closed = run(home, ['agent', 'show', 'north/mail', '--unknown'], ['ignore', 'pipe'])
  closed.stderr?.destroy()
  expect(await ended(closed)).toBe(2)
})

test.skipIf(!mayMount)('a result that does not fit on the disk as a whole is not taken for printed', async () => {
  const home = await newServiceHome()
  const disk = smallDisk(home) as string
  const file = join(disk, 'result')
  writeFileSync(file, 'x')
  truncateSync(fill(disk), 0)
  const size = 56 * 1024
  writeFileSync(join(disk, 'rest'), Buffer.alloc(size))
  for (let i = 0; i < 100; i++) await home.run(['workspace', 'create', `north-${i}`, '--name', 'N'.repeat(60)])
  const child = run(home, ['workspace', 'list', '--json'], [opened(file, 'a'), 'pipe'])
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  expect([await ended(child), said]).toEqual([1, expect.stringContaining('no space is left on the disk')])
})

test.skipIf(!mayMount)('a backup to a full disk names the reason, and leaves no file behind', async () => {
  const home = await newServiceHome()
  const disk = smallDisk(home) as string
  await home.run(['workspace', 'create', 'north'])
  const file = join(disk, 'svc.backup')
  const refusal = {
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^svc-server: .*svc\.backup could not be written: no space is left on the disk/),
  }
  expect(await home.runProgram(['backup', file])).toEqual(refusal)
  expect(readdirSync(disk)).toEqual([])
  await home.start()
  expect(await home.runProgram(['backup', file])).toEqual(refusal)
  expect(readdirSync(disk)).toEqual([])
})

test.skipIf(!mayMount)('commands on a data folder without space name the reason, and nothing is lost', async () => {
  const home = await newServiceHome()
  const disk = smallDisk(home, '16m') as string
  home.env.SVC_DATA_DIR = join(disk, 'data')
  await home.run(['workspace', 'create', 'north'])
  const backup = join(home.folder, 'svc.backup')
  await home.run(['backup', backup])
  const filling = fill(disk)
  const reason = expect.stringMatching(
    /^svc-server: The (command failed[:.]|data folder \S+ cannot be used:) ?.*no space is left on the disk/,
  )
  expect(await home.runProgram(['restore', backup])).toEqual({ code: 1, stdout: '', stderr: reason })
  const create = await home.runProgram(['workspace', 'create', 'south'])
  expect([create.code, create.stderr]).toEqual([1, reason])
  rmSync(filling)
  expect(await home.value(['workspace', 'list'])).toMatchObject([{ slug: 'north' }])
})
