import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { pathWithout } from './world.ts'

test('a test sees no variables, home folder, programs or umask of the person who runs it', () => {
  const taken = Object.keys(process.env).filter((name) =>
    /^(?:SVC_(?!TEST_|TIME_FLOOR$)|XDG_|HTTPS?_PROXY|NODE_OPTIONS)/i.test(name),
  )
  expect(taken).toEqual([])
  expect(homedir()).toMatch(/svc-world-\w+\/home of a test$/)
  expect(execFileSync('sh', ['-c', 'command -v svc svc-exec svc-server || echo none'], { encoding: 'utf8' })).toBe(
    'none\n',
  )
  const folder = temporary()
  mkdirSync(join(folder, 'made'))
  expect(statSync(join(folder, 'made')).mode & 0o777).toBe(0o755)
})

test('a program of svc is hidden, and its neighbours are still found', () => {
  const folder = temporary()
  const [one, two] = ['one', 'two'].map((name) => join(folder, name)) as [string, string]
  for (const each of [one, two]) mkdirSync(each)
  writeFileSync(join(one, 'svc'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  writeFileSync(join(one, 'neighbour'), '#!/bin/sh\necho found\n', { mode: 0o755 })
  const path = pathWithout(['svc'], [one, two].join(delimiter), folder)
  expect(path.split(delimiter)[1]).toBe(two)
  const answers = execFileSync('/bin/sh', ['-c', 'neighbour; command -v svc || echo none'], {
    env: { PATH: path },
    encoding: 'utf8',
  })
  expect(answers).toBe('found\nnone\n')
})

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-world-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}
