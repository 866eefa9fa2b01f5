/**
 * Tests that the records of an account are in one folder, from whatever environment its jobs run: a crontab may set
 * variables, and sudo may keep them. Each row is an environment; `svc jobs` must show the run, in each of them, too.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Account, newAccount } from '../../../testing/jobs.ts'

let ada: Account
beforeAll(async () => {
  ada = await newAccount()
  for (const folder of ['app', 'state']) mkdirSync(join(ada.home, folder))
})
afterAll(() => ada.remove())

const node = join(process.execPath, '..')
const environments: readonly (readonly [what: string, env: () => Record<string, string | undefined>])[] = [
  ['that of a shell', () => ({})],
  ['a crontab that sets HOME', () => ({ HOME: join(ada.home, 'app') })],
  ['a HOME that is not there', () => ({ HOME: '/nowhere/at/all' })],
  ['no HOME', () => ({ HOME: undefined })],
  ['an empty HOME', () => ({ HOME: '' })],
  ['XDG_STATE_HOME', () => ({ XDG_STATE_HOME: join(ada.home, 'state') })],
  ['both', () => ({ HOME: join(ada.home, 'app'), XDG_STATE_HOME: join(ada.home, 'state') })],
  ['another user name', () => ({ LOGNAME: 'daemon', USER: 'daemon' })],
  ['almost nothing', () => ({ HOME: undefined, LOGNAME: undefined, USER: undefined, XDG_STATE_HOME: undefined })],
]
const starters = [
  ['svc-exec', 'svc-exec'],
  ['svc exec', 'svc exec'],
] as const

describe.each(starters)('the record of a run of %s is where the account has its records', (_by, start) => {
  // all but the launcher read one function, so a few rows are enough for them
  const rows = environments.filter((_, at) => start === 'svc-exec' || at % 3 === 1)
  test.each(rows)('with %s', async (what, env) => {
    const job = `${start.replace(' ', '.')}-${what.toLowerCase().replaceAll(/\W/g, '-')}`
    const options = { env: { ...env(), PATH: `${join(ada.home, 'bin')}:${node}:/usr/bin:/bin` } }
    expect(await ada.line(`${start} ${job} -- true`, options)).toEqual({ code: 0, out: '', err: '' })
    expect(ada.runs(job)).toMatchObject([{ status: 'ok' }])
    if (start === 'svc-exec') {
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

  test('also before the first record, and without Node', async () => {
    const other = await newAccount()
    try {
      mkdirSync(join(other.jobs, '..'), { recursive: true })
      writeFileSync(join(other.jobs, '../adopted.json'), '{"jobs":true}')
      const text = readFileSync(other.svcExec, 'utf8').replace(/^svc_exec_node=.*$/m, 'svc_exec_node=/nowhere')
      writeFileSync(other.svcExec, text)
      expect(await other.exec(['backup', '--', 'true'], { env: { HOME: '/nowhere' } })).toMatchObject({ code: 0 })
      expect(other.unrecorded()).toEqual(['backup no-node'])
    } finally {
      other.remove()
    }
  })
})
