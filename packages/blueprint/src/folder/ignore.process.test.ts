/** Holds the ignore rules against the git of this machine. Without git it is skipped, and the test's report says so. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { randomOf } from '../../../protocol/testing/mutate.ts'
import { ignorablePaths, ignoreRules, leftOutBy } from '../../testing/ignore-rules.ts'

const root = mkdtempSync(join(tmpdir(), 'svc-ignore-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Git that reads no settings of the machine. */
const git = (args: readonly string[], input = '') =>
  spawnSync('git', args, {
    cwd: root,
    input,
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH ?? '',
      HOME: root,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      LC_ALL: 'C',
    },
    maxBuffer: 64 * 1024 * 1024,
  })
const isThere = git(['--version']).status === 0
if (!isThere) process.stderr.write('NOT TESTED: that ignore rules are those of git, since there is no git here\n')

/** The paths that git leaves out by each of these files of rules. Each file is in a folder of its own. */
function leftOutByGit(files: readonly string[], paths: readonly string[]): string[][] {
  git(['init', '-q'])
  git(['config', 'core.ignorecase', 'false'])
  for (const [index, lines] of files.entries()) {
    mkdirSync(join(root, `${index}`), { recursive: true })
    writeFileSync(join(root, `${index}`, '.gitignore'), lines)
  }
  const asked = files.flatMap((_, index) => paths.map((path) => `${index}/${path}\0`)).join('')
  const { stdout } = git(['check-ignore', '--no-index', '--stdin', '-z'], asked)
  const out = new Set(stdout.split('\0'))
  return files.map((_, index) => paths.filter((path) => out.has(`${index}/${path}`)))
}

test.skipIf(!isThere)('the git of this machine leaves out what the table says', () => {
  const files = ignoreRules.map(([lines]) => lines)
  const byGit = leftOutByGit(files, ignorablePaths)
  expect(files.map((lines) => [lines, leftOutBy(lines, ignorablePaths)])).toEqual(
    files.map((lines, i) => [lines, byGit[i]]),
  )
})

test.skipIf(!isThere)('random rules leave out what git leaves out', () => {
  const random = randomOf(Number(process.env.SVC_TEST_SEED ?? 50))
  const some = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T
  const parts = [
    'a',
    'b',
    '/',
    '*',
    '**',
    '?',
    '[ab]',
    '[!a]',
    '[^b/]',
    '[a-c-]',
    '[[:alpha:]]',
    '\\*',
    '\\ ',
    '[]]',
    '**/',
    '/**',
    '!',
    '#',
    ' ',
    '-',
  ]
  const line = () => Array.from({ length: 1 + Math.floor(random() * 6) }, () => some(parts)).join('')
  const names = ['a', 'b', 'ab', 'c', '-', ']', '*', 'a b', 'ba']
  const paths = Array.from({ length: 60 }, () =>
    Array.from({ length: 1 + Math.floor(random() * 4) }, () => some(names)).join('/'),
  )
  const files = Array.from({ length: 400 }, () => [line(), line()].join('\n')).filter(isUnderstood)
  const byGit = leftOutByGit(files, paths)
  expect(files.length).toBeGreaterThan(100)
  for (const [index, lines] of files.entries())
    expect(leftOutBy(lines, paths), JSON.stringify(lines)).toEqual(byGit[index])
})

function isUnderstood(lines: string): boolean {
  try {
    leftOutBy(lines, [])
    return true
  } catch {
    return false
  }
}
