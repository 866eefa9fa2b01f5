import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { agentFolder, token } from '../../../testing/folder.ts'
import { listDeclaredLogs } from './follow.ts'
import { readLogFile } from './read.ts'

let folder: ReturnType<typeof agentFolder>
const log = 'state/work.log'
const path = () => join(folder.root, log)
const read = (file = log, max?: number) => readLogFile(folder, { logs: [{ name: 'work', path: file }] }, 'work', max)
beforeEach(() => {
  folder = agentFolder(
    { [log]: 'one\ntwo\n', '.svc/secrets.env': 'MAIL_PASSWORD=correct horse\nPIN=1234\n' },
    'http://127.0.0.1:1',
  )
})
afterEach(() => folder.remove())

test('the end of a declared log is read', () => {
  expect(read()).toBe('one\ntwo\n')
  writeFileSync(path(), `${'a line\n'.repeat(100_000)}the end\n`)
  const end = read() ?? ''
  expect(end.endsWith('the end\n')).toBe(true)
  expect(Buffer.byteLength(end)).toBeLessThanOrEqual(512 * 1024)
  expect(Buffer.byteLength(end)).toBeGreaterThan(500 * 1024)
})

test('a symbolic link that resolves inside the folder is read, also through several links (3.6, D52)', () => {
  rmSync(path())
  writeFileSync(join(folder.root, 'state/2026-11-22.log'), 'of today\n')
  symlinkSync('2026-11-22.log', join(folder.root, 'state/today.log'))
  symlinkSync(join(folder.root, 'state/today.log'), path())
  expect(read()).toBe('of today\n')
})

describe('there is no such log (3.6, D52)', () => {
  const cases: readonly (readonly [string, () => string | undefined])[] = [
    ['a name that is not declared', () => readLogFile(folder, { logs: [] }, 'work')],
    ['no file', () => read('state/other.log')],
    ['a folder', () => read('state')],
    ['a file in .svc', () => read('.svc/agent.env')],
    [
      'a symlink out of the folder',
      () => {
        rmSync(path())
        symlinkSync('/etc/passwd', path())
        return read()
      },
    ],
    [
      'a symlink into another folder whose name begins with the same letters',
      () => {
        const beside = agentFolder({ 'other.log': 'of another agent' })
        const neighbour = `${folder.root}-2`
        renameSync(beside.root, neighbour)
        rmSync(path())
        symlinkSync(join(neighbour, 'other.log'), path())
        try {
          return read()
        } finally {
          rmSync(neighbour, { recursive: true })
        }
      },
    ],
    [
      'a symlink to the token',
      () => {
        rmSync(path())
        symlinkSync(folder.env, path())
        return read()
      },
    ],
    [
      'a second hard link of the token file',
      () => {
        rmSync(path())
        linkSync(folder.env, path())
        return read()
      },
    ],
    [
      'a folder that is a symlink out',
      () => {
        symlinkSync('/etc', join(folder.root, 'out'))
        return read('out/passwd')
      },
    ],
    [
      'a folder that is a symlink into .svc',
      () => {
        symlinkSync(folder.svc, join(folder.root, 'in'))
        return read('in/agent.env')
      },
    ],
    [
      'a pipe, which must not block the reporter',
      () => {
        rmSync(path())
        execFileSync('mkfifo', [path()])
        return read()
      },
    ],
    [
      'a device',
      () => {
        rmSync(path())
        symlinkSync('/dev/zero', path())
        return read()
      },
    ],
  ]
  test.each(cases)('%s', (_case, attempt) => {
    expect(attempt()).toBeUndefined()
  })
})

test('secrets and everything that looks like a token are masked', () => {
  writeFileSync(
    path(),
    `login correct horse\nPIN 1234\nauth ${token}\nother svc_bot_${'x'.repeat(43)}\ncut svc_inst_abc\n`,
  )
  expect(read()).toBe('login [masked]\nPIN 1234\nauth [masked]\nother [masked]\ncut [masked]\n')
})

test('a secret is masked wherever the text is cut', () => {
  for (let before = 0; before < 60; before++) {
    writeFileSync(path(), `${'y'.repeat(40_000)} ${token}\n${'z'.repeat(before)}`)
    expect(read(log, 40)).not.toMatch(/AAAA/)
  }
})

describe('a log that stands for many', () => {
  const logs = [{ name: 'job/*', path: 'state/jobs/*/last.log' }]
  const job = (name: string) => join(folder.root, 'state/jobs', name)
  const of = (name: string) => readLogFile(folder, { logs }, name)
  beforeEach(() => {
    for (const name of ['backup', 'mail', '.hidden']) {
      mkdirSync(job(name), { recursive: true })
      writeFileSync(join(job(name), 'last.log'), `${name} with correct horse\n`)
    }
  })

  test('is read by the name of each, with secrets masked', () => {
    expect([of('job/backup'), of('job/mail')]).toEqual(['backup with [masked]\n', 'mail with [masked]\n'])
  })

  test.each<[string, string, () => void]>([
    ['the name with its star', 'job/*', () => renameSync(job('backup'), job('*'))],
    ['a name that is none of a job', 'job/.hidden', () => {}],
    ['a job without a log', 'job/silent', () => mkdirSync(job('silent'))],
    ['a name that climbs', 'job/../work', () => {}],
    [
      'a job whose log is a symlink to the token (D52)',
      'job/backup',
      () => {
        rmSync(join(job('backup'), 'last.log'))
        symlinkSync(folder.env, join(job('backup'), 'last.log'))
      },
    ],
    [
      'a job whose folder is a symlink out (D52)',
      'job/out',
      () => {
        const beside = agentFolder({ 'last.log': 'of another agent' })
        onTestFinished(beside.remove)
        symlinkSync(beside.root, job('out'))
      },
    ],
    [
      'a job whose log has a second hard link (D52)',
      'job/backup',
      () => linkSync(join(job('backup'), 'last.log'), join(folder.root, 'state/other')),
    ],
  ])('is not read as %s', (_what, name, prepare) => {
    prepare()
    expect(of(name)).toBeUndefined()
  })

  test('is listed once for each file that may be read, and as it is declared while there is none', () => {
    rmSync(join(job('mail'), 'last.log'))
    symlinkSync(folder.env, join(job('mail'), 'last.log'))
    mkdirSync(job('silent'))
    expect(listDeclaredLogs(folder, { logs }).map(({ name, path, bytes }) => [name, path, bytes])).toEqual([
      ['job/backup', 'state/jobs/backup/last.log', 26],
    ])
    rmSync(join(folder.root, 'state/jobs'), { recursive: true })
    expect(listDeclaredLogs(folder, { logs })).toEqual(logs)
  })
})
