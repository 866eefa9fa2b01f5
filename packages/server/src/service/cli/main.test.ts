import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { main } from './main.ts'

async function run(argv: string[], env: Record<string, string> = {}, dotenv = '') {
  const cwd = mkdtempSync(join(tmpdir(), 'svc-main-'))
  const umask = process.umask()
  onTestFinished(() => {
    process.umask(umask) // The program keeps others out of the files that it makes.
    rmSync(cwd, { recursive: true, force: true })
  })
  writeFileSync(join(cwd, '.env'), dotenv)
  const out: string[] = []
  const err: string[] = []
  const around = {
    env,
    cwd,
    read: async () => '',
    out: async (text: string) => void out.push(text),
    err: (text: string) => void err.push(text),
  }
  const code = await main(argv, around)
  return { code, cwd, out: out.join(''), err: err.join('') }
}

test('the help says what each group of commands is about', async () => {
  const { out } = await run(['--help'])
  const lines = [...out.matchAll(/^ {2}([a-z]+)(?: \[\S+\])*(?: {2,}(\S.*))?$/gm)].map(([, name, says]) => ({
    name,
    says,
  }))
  expect(lines.length).toBeGreaterThan(15)
  expect(lines.filter(({ name, says }) => says === undefined || says === name)).toEqual([])
})

test.each<[string, Record<string, string>, string]>([
  ['the environment', { SVC_DATADIR: '/x' }, ''],
  ['the file .env', {}, 'SVC_DATADIR=/x\n'],
])('an operator command says that a name in %s is unknown, and which data it uses', async (_where, env, dotenv) => {
  const { cwd, err } = await run(['workspace', 'list'], env, dotenv)
  expect(err).toMatch(/^svc-server: SVC_DATADIR in .* is not a setting of the service/)
  expect(err).toContain(`svc-server: The data folder is ${join(cwd, 'svc-data')}.`)
})
