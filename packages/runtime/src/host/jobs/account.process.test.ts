/**
 * Tests that the records of an account are in one folder, from whatever environment its jobs run. Each row is an
 * environment. account.test.ts tests where `svc jobs` looks for them in each of these.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { byLevel } from '../../../../../testing/level.ts'
import { environments } from '../../../testing/environments.ts'
import { type Account, newAccount } from '../../../testing/jobs.ts'

let ada: Account
beforeAll(async () => {
  ada = await newAccount()
  for (const folder of ['app', 'state']) mkdirSync(join(ada.home, folder))
})
afterAll(() => ada.remove())

const node = join(process.execPath, '..')
const starters = [
  ['svc-exec', 'svc-exec'],
  ['svc exec', 'svc exec'],
] as const

test('a run before the first record, without Node, is noted where the account has its records', async () => {
  mkdirSync(ada.jobs, { recursive: true })
  rmdirSync(ada.jobs)
  writeFileSync(join(ada.jobs, '../adopted.json'), '{"jobs":true}')
  const file = join(ada.home, 'bin/svc-exec-without-node')
  const text = readFileSync(ada.svcExec, 'utf8').replace(/^svc_exec_node=.*$/m, 'svc_exec_node=/nowhere')
  writeFileSync(file, text, { mode: 0o755 })
  const run = await ada.exec(['backup', '--', 'true'], { by: [file], env: { HOME: '/nowhere' } })
  expect(run).toMatchObject({ code: 0 })
  expect(ada.unrecorded()).toEqual(['backup no-node'])
})

describe.each(starters)('the record of a run of %s is where the account has its records', (_by, start) => {
  // All programs except the launcher find the folder with one function, so a few rows are enough for them.
  const every = environments.filter((_, at) => start === 'svc-exec' || at % 3 === 1)
  const few = environments.filter(([what]) => ['a crontab that sets HOME', 'both', 'almost nothing'].includes(what))
  const rows = byLevel(start === 'svc-exec' ? few : few.slice(0, 1), every, every)
  test.each(rows)('with %s', async (what, changes) => {
    const job = `${start.replace(' ', '.')}-${what.toLowerCase().replaceAll(/\W/g, '-')}`
    const options = { env: { ...changes(ada.home), PATH: `${join(ada.home, 'bin')}:${node}:/usr/bin:/bin` } }
    expect(await ada.line(`${start} ${job} -- true`, options)).toEqual({ code: 0, out: '', err: '' })
    expect(ada.runs(job)).toMatchObject([{ status: 'ok' }])
    if (what === 'almost nothing') {
      const listed = await ada.line('svc jobs --json', options)
      expect(JSON.parse(listed.out).map(({ name }: { name: string }) => name)).toContain(job)
    }
    expect(existsSync(join(ada.home, 'app/.local'))).toBe(false)
  })
})

describe('a run that is not recorded where the account has its records is noted there', () => {
  const file = () => {
    writeFileSync(join(ada.home, 'file'), '')
    return join(ada.home, 'file')
  }
  test.each<[string, () => Record<string, string>, string, string]>([
    ['another folder', () => ({ SVC_JOBS_DIR: join(ada.home, 'elsewhere') }), 'elsewhere --', 'elsewhere'],
    ['a folder that cannot be made', () => ({ SVC_JOBS_DIR: join(file(), 'jobs') }), 'no-folder --', 'no-record'],
    [
      'a mistake, and another folder',
      () => ({ SVC_JOBS_DIR: join(ada.home, 'elsewhere') }),
      'wrong --evry 1d --',
      'wrong-usage',
    ],
  ])('%s', async (_what, env, call, reason) => {
    expect(await ada.line(`svc-exec ${call} sh -c 'exit 3'`, { env: env() })).toMatchObject({ code: 3 })
    expect(ada.unrecorded()).toContain(`${call.split(' ')[0]} ${reason}`)
    const listed = await ada.line('svc jobs', { env: { PATH: `${join(ada.home, 'bin')}:${node}:/usr/bin:/bin` } })
    expect(listed.out).toMatch(new RegExp(`^${call.split(' ')[0]} +warn +ran .*but was not recorded`, 'm'))
  })
})
