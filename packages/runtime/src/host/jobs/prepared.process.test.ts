/**
 * Tests that the files beside a job are those of this user: somebody else may have prepared the folder. Each file that
 * svc opens there is tried as a link, a pipe, a device, a folder, a socket and a file of somebody else, for each
 * program that opens it. The command runs in any case, nothing waits, and nothing else is written. `npm test` tries
 * each file and each program with three kinds.
 */
import { execFileSync } from 'node:child_process'
import { chownSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { byLevel } from '../../../../../testing/level.ts'
import { type Account, newAccount } from '../../../testing/jobs.ts'

let ada: Account
beforeAll(async () => {
  ada = await newAccount()
})
afterAll(() => ada.remove())

const isRoot = process.getuid?.() === 0
/** Functions that put something in the place of a file. Each returns what must not change. */
const kinds: Readonly<Record<string, (file: string, other: string) => unknown>> = {
  'a link': (file, other) => symlinkSync(other, file),
  'a link that leads nowhere': (file, other) => symlinkSync(`${other}-missing`, file),
  'a pipe': (file) => execFileSync('mkfifo', [file]),
  'a folder': (file) => mkdirSync(file),
  'a socket': async (file) => {
    const server = createServer()
    await new Promise<void>((listens) => server.listen(file, listens))
    server.unref()
  },
  ...(isRoot && {
    'a device': (file: string) => execFileSync('mknod', [file, 'c', '1', '7']),
    'a file of somebody else': (file: string) => {
      writeFileSync(file, 'mine\n')
      chownSync(file, 1234, 1234)
    },
  }),
}
const all = Object.keys(kinds)
const usual = byLevel(
  ['a link', 'a pipe', 'a file of somebody else'].filter((kind) => kind in kinds),
  all,
  all,
)

const without = (line: string, value: string) => {
  const file = join(ada.home, `launcher-${value.replaceAll('/', '-')}`)
  const text = readFileSync(ada.svcExec, 'utf8').replace(new RegExp(`^${line}=.*$`, 'm'), `${line}=${value}`)
  writeFileSync(file, text, { mode: 0o755 })
  return `"${file}"`
}
/** The program that opens `unrecorded`, and the line of a shell that makes it do so. */
const writers: readonly (readonly [program: string, line: () => string])[] = [
  ['the shell', () => `${without('svc_exec_node', '/nowhere')} backup --`],
  [
    'the text that Node runs',
    () => `exec 3</dev/null 4</dev/null 5</dev/null 6</dev/null; ${without('svc_exec_svc', '/etc/passwd')} backup --`,
  ],
  ['svc exec', () => 'svc-exec backup --no-such-option --'],
]

/** Runs a line of a shell with a folder for jobs that somebody prepared. A line that waits is ended. */
const run = async (jobs: string, line: string, script = 'echo done; exit 5') => {
  const options = { env: { SVC_JOBS_DIR: jobs }, by: ['timeout', '-s', 'KILL', '20', '/bin/sh', '-c'] }
  return ada.exec([`${line} sh -c '${script}'`], options)
}
/** The names in a folder, each with what it is and whose. */
const seen = (folder: string) => execFileSync('find', [folder, '-printf', '%P %y %U %s\n'], { encoding: 'utf8' })

describe.each(writers)('a run without a record, noted by %s', (_program, line) => {
  test.each([...usual, 'a file'])('where "unrecorded" is %s', async (kind) => {
    const jobs = mkdtempSync(join(ada.home, 'jobs-'))
    const other = join(ada.home, 'other')
    writeFileSync(other, 'mine\n')
    await kinds[kind]?.(join(jobs, 'unrecorded'), other)
    const before = seen(jobs)
    expect(await run(jobs, line())).toMatchObject({ code: 5, out: 'done\n' })
    expect(readFileSync(other, 'utf8')).toBe('mine\n')
    if (kind === 'a file') expect(readFileSync(join(jobs, 'unrecorded'), 'utf8')).toMatch(/^\d{10} backup [a-z-]+\n$/)
    else expect(seen(jobs)).toBe(before)
  })

  test.runIf(isRoot)('where the folder belongs to somebody else', async () => {
    const jobs = mkdtempSync(join(ada.home, 'jobs-'))
    chownSync(jobs, 1234, 1234)
    expect(await run(jobs, line())).toMatchObject({ code: 5, out: 'done\n' })
    expect(seen(jobs)).not.toContain('unrecorded')
  })
})

describe('a run with a record', () => {
  // The last two files are opened only while a run prints much, which takes a second.
  const files = ['job.json', 'last.log', 'last.log.1', '.last.log.1.tmp'] as const
  const slowly = byLevel(['a link'], ['a link', 'a pipe', 'a folder'], ['a link', 'a pipe', 'a folder'])
  const few = ['a link', 'a pipe', 'a folder', 'a file of somebody else'].filter((kind) => usual.includes(kind))
  const rows = files.flatMap((name) => (name.includes('log.1') ? slowly : few).map((kind) => [name, kind] as const))
  test.each(rows)('where %s is %s', async (name, kind) => {
    const jobs = mkdtempSync(join(ada.home, 'jobs-'))
    const folder = join(jobs, 'backup')
    const other = join(ada.home, 'other')
    mkdirSync(folder)
    writeFileSync(other, 'mine\n')
    await kinds[kind]?.(join(folder, name), other)
    const much = name.includes('log.1') ? 'yes "a line" | head -c 3000000; sleep 1.2; exit 5' : 'echo done; exit 5'
    expect((await run(jobs, 'svc-exec backup --log --every 1d --', much)).code).toBe(5)
    expect(readFileSync(other, 'utf8')).toBe('mine\n')
    const after = lstatSync(join(folder, 'last.log'), { throwIfNoEntry: false })
    expect(after === undefined || after.isFile() || name === 'last.log').toBe(true)
  })

  const madeBy: Readonly<Record<string, string>> = {
    'a link': 'ln -s "$HOME/other" "$SVC_RUN_FILE"',
    'a pipe': 'mkfifo "$SVC_RUN_FILE"',
    'a folder': 'mkdir "$SVC_RUN_FILE"',
    'a device': 'mknod "$SVC_RUN_FILE" c 1 5',
  }
  test.each(usual.filter((kind) => kind in madeBy))('where the command makes %s of SVC_RUN_FILE', async (kind) => {
    const other = join(ada.home, 'other')
    writeFileSync(other, '{"output_tokens": 7}')
    const jobs = mkdtempSync(join(ada.home, 'jobs-'))
    expect((await run(jobs, 'svc-exec backup --', `${madeBy[kind]}; exit 5`)).code).toBe(5)
    const records = execFileSync('sh', ['-c', 'cat "$1"/backup/*-*.json', 'sh', jobs], { encoding: 'utf8' })
    expect(records).toContain('"exit":5')
    expect(records).not.toContain('output_tokens')
  })
})
