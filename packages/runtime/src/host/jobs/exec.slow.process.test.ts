/**
 * Tests `svc-exec` at its limits: with the oldest Node, fifty at once, with much output, on a full disk, and by its
 * system calls. `npm test` leaves this out. packages/runtime/src/host/jobs/exec.process.test.ts proves the same rules.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { python } from '../../../testing/folder.ts'
import { type Account, newAccount } from '../../../testing/jobs.ts'
import { minNodeHere } from '../../../testing/releases.ts'
import { mountMissing, type Scarce, smallDisk } from '../../../testing/small-disk.ts'
import { straceMissing } from '../../../testing/strace.ts'

let ada: Account
beforeAll(async () => {
  ada = await newAccount()
})
afterAll(() => ada.remove())

test.skipIf(minNodeHere === undefined)('the oldest Node runs and records a job', async () => {
  const old = await newAccount(minNodeHere)
  try {
    expect(readFileSync(old.svcExec, 'utf8')).toContain(`svc_exec_node=${minNodeHere}\n`)
    const script = 'cat; echo "{\\"output_tokens\\": 7}" > "$SVC_RUN_FILE"; exit 3'
    const args = ['backup', '--every', '1d', '--log', '--timeout', '1h', '--no-overlap', '--', 'sh', '-c', script]
    expect(await old.exec(args, { input: 'in' })).toEqual({ code: 3, out: '', err: '' })
    expect(old.runs('backup')).toMatchObject([{ status: 'failed', exit: 3, log: 'failed/backup', output_tokens: 7 }])
    expect(readFileSync(join(old.jobs, 'backup/last.log'), 'utf8')).toBe('in')
    expect(readFileSync(join(old.jobs, 'backup/failed.log'), 'utf8')).toBe('in\n')
    expect((await old.exec(['cron', '--cron', '0 3 31 2 *', '--', 'true'])).err).toContain('gives no date')
  } finally {
    old.remove()
  }
})

test('of fifty jobs at once each runs and is recorded, also if all have one name', async () => {
  const jobs = Array.from({ length: 50 }, (_, n) => (n % 2 ? 'same' : `other-${n}`))
  const codes = jobs.map(async (job, n) => (await ada.exec([job, '--every', '1d', '--', 'sh', '-c', `exit ${n}`])).code)
  expect(await Promise.all(codes)).toEqual(jobs.map((_, n) => n))
  expect(
    ada
      .runs('same')
      .map(({ exit }) => exit)
      .sort(),
  ).toEqual(jobs.flatMap((_, n) => (n % 2 ? [n] : [])).sort())
  for (const [n, job] of jobs.entries()) if (n % 2 === 0) expect(ada.runs(job)).toMatchObject([{ exit: n }])
  const left = readdirSync(join(ada.jobs, 'same')).filter((name) => !name.endsWith('.json'))
  expect(left).toEqual([])
})

test('of 300 MB of output the end is kept', async () => {
  const script = 'yes "a line of output" | head -c 300000000; echo end'
  expect(await ada.exec(['much', '--log', '--', 'sh', '-c', script])).toEqual({ code: 0, out: '', err: '' })
  const log = readFileSync(join(ada.jobs, 'much/last.log'), 'utf8')
  expect(log.endsWith('end\n')).toBe(true)
  for (const name of ['last.log', 'last.log.1'])
    expect(statSync(join(ada.jobs, 'much', name), { throwIfNoEntry: false })?.size ?? 0).toBeLessThanOrEqual(256 * 1024)
})

const missing = mountMissing('jobs on a full disk')
describe.skipIf(missing !== undefined).each<Scarce>(['bytes', 'inodes'])('on a disk without %s', (scarce) => {
  test.each([['before the first run'], ['after a run']])(
    'the command runs %s, and says that it is not recorded',
    async (when) => {
      const disk = smallDisk(scarce)
      const env = { SVC_JOBS_DIR: join(disk.root, 'jobs') }
      const command = ['sh', '-c', 'cat; exit 5']
      const run = (...options: string[]) => ada.exec(['backup', ...options, '--', ...command], { env, input: 'in' })
      const records = () => readdirSync(join(disk.root, 'jobs/backup')).filter((name) => /^\d.*json$/.test(name))
      try {
        if (when === 'after a run') await run('--log')
        disk.fill()
        for (const options of [[], ['--log'], ['--no-overlap', '--every', '1d']]) {
          const { err, ...ran } = await run(...options)
          expect(ran, options.join()).toEqual({ code: 5, out: 'in' })
          expect(err).toMatch(/^svc exec: Job backup runs, but svc cannot (record it|keep its output): .*\.\n$/)
        }
        disk.free()
        expect((await run('--log')).err).toBe('')
        // Older files make room, so a run on the full disk may have been recorded.
        expect(records().length).toBeGreaterThanOrEqual(when === 'after a run' ? 2 : 1)
      } finally {
        disk.unmount()
      }
    },
  )

  test('a disk that becomes full while the command runs does not disturb it', async () => {
    const disk = smallDisk(scarce)
    mkdirSync(join(disk.root, 'jobs'))
    const fill =
      scarce === 'bytes'
        ? 'cat /dev/zero > "$0/fill" 2>/dev/null'
        : 'n=0; while true > "$0/fill-$n"; do n=$((n+1)); done 2>/dev/null'
    try {
      const ran = await ada.exec(['backup', '--', 'sh', '-c', `${fill}; echo done; exit 5`, disk.root], {
        env: { SVC_JOBS_DIR: join(disk.root, 'jobs') },
      })
      expect([ran.code, ran.out]).toEqual([5, 'done\n'])
    } finally {
      disk.unmount()
    }
  })
})

const strace = straceMissing('all', 'the system calls of a job')
const realPython = python ? execFileSync('python3', ['-c', 'import sys; print(sys.executable)']).toString().trim() : ''
const starters: [by: string, start: string][] = [
  ['svc-exec', 'svc-exec'],
  ['svc exec', '"$HOME/bin/svc" exec'],
  ...(python ? [['Python', `${realPython} "$HOME/bin/svc" exec`] as [string, string]] : []),
]
describe.skipIf(strace !== undefined)('the system calls of a command are those without svc', () => {
  const cat = execFileSync('sh', ['-c', 'command -v cat'], { encoding: 'utf8' }).trim()
  let traces = 0
  /**
   * Returns the system calls of the process that became `cat`, from that moment on, without the parts that differ
   * between two starts.
   */
  const traced = async (start: string): Promise<string[]> => {
    const folder = join(ada.home, `traces-${traces++}`)
    mkdirSync(folder)
    const sh = `sh -c 'exec </dev/null >"$HOME/out"; exec ${start} ${cat} - /etc/hostname'`
    expect((await ada.line(`exec strace -ff -v -s 9999 -o "${folder}/t" ${sh}`)).code).toBe(0)
    const all = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
    const lines = (all.find((text) => text.includes(`\nexecve("${cat}"`)) ?? '').split('\n')
    return lines
      .slice(lines.findLastIndex((line) => line.startsWith(`execve("${cat}"`)))
      .filter((line) => !/^(set_tid_address|getrandom)/.test(line))
      .map((line) =>
        line
          .replace(/0x[0-9a-f]+/g, 'X')
          .replace(/"SVC_(JOB|RUN_FILE)=[^"]*"(, )?/g, '')
          .replace(/, \]/, ']')
          .replace(/st_[acm]time(_nsec)?=[^,}]*/g, ''),
      )
  }
  test.each(starters)('started by %s', async (_by, start) => {
    const plain = await traced('')
    expect(plain.length).toBeGreaterThan(10)
    expect(await traced(`${start} traced --`)).toEqual(plain)
  })
})
