import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { buildProgram } from './cli/program.ts'
import { commandHint, plainHint, readStart } from './machine/hint.ts'

const runnable = (...files: string[]) => ({
  path: '/usr/bin:/home/ada/.local/bin',
  runs: (f: string) => files.includes(f),
})
const installed = '/home/ada/.local/bin/svc'

test.each([
  [
    'python3 svc.pyz',
    { file: '/srv/svc.pyz', marker: '["python3","svc.pyz"]' },
    ['python3', 'svc.pyz'],
    ['python3', join(process.cwd(), 'svc.pyz')],
  ],
  ['the installed command', { file: installed }, ['svc'], [installed]],
  ['an executable file', { file: './svc.pyz' }, ['./svc.pyz'], [join(process.cwd(), 'svc.pyz')]],
  ['another name in PATH', { file: '/opt/svc/svc' }, ['/opt/svc/svc'], ['/opt/svc/svc']],
  [
    'a file that is not executable',
    { file: './copy.pyz' },
    ['node', '-e', 'require(process.argv[1])', './copy.pyz'],
    ['node', '-e', 'require(process.argv[1])', join(process.cwd(), 'copy.pyz')],
  ],
  [
    'a file in a folder that is not executable',
    { file: 'bin/copy.pyz' },
    ['node', '-e', 'require(process.argv[1])', './bin/copy.pyz'],
    ['node', '-e', 'require(process.argv[1])', join(process.cwd(), 'bin/copy.pyz')],
  ],
  ['the source', { file: '/src/main.ts' }, ['node', '/src/main.ts'], ['node', '/src/main.ts']],
  ['a foreign marker', { file: installed, marker: 'x' }, ['svc'], [installed]],
])('a hint starts with the words that started the program: %s', (_what, given, here, anywhere) => {
  const start = { marker: undefined, ...runnable(installed, './svc.pyz', '/opt/svc/svc'), ...given }
  expect(readStart(start)).toEqual({ here, anywhere })
})

test('a command that is also in an earlier folder of PATH is named by its path', () => {
  const other = { marker: undefined, file: installed, ...runnable(installed, '/usr/bin/svc') }
  expect(readStart(other).here).toEqual([installed])
})

test('a hint names the folder, quoted for a shell', () => {
  expect(commandHint('start', undefined)).toBe('svc start')
  expect(commandHint('start', "/srv/it's")).toBe(`svc start --dir '/srv/it'\\''s'`)
  expect(plainHint('start')).toBe('svc start')
})

/**
 * Source files in which this test allows command names written by hand: texts such as `svc check` in them are stored in
 * files or leave the machine, so they must not depend on how svc was started here.
 */
const keepsPlainText = [/^cli\/author\/starting\.ts$/, /^install\/service\/text\.ts$/, /^machine\/hint\.ts$/]
/** Matches lines in which the name of a command is not a hint but data: the name under which a process holds a lock. */
const lockName = /\b(?:withTurn|tryLock)(?:OnFullDisk)?\)?\(.*'svc |\.what [!=]== 'svc |\{ what: 'svc /

test('hints are never written by hand: hint() or plainHint() names the command', async () => {
  const names = (await buildProgram([])).commands.map((c) => c.name())
  const command = new RegExp(`\\bsvc (?:${names.join('|')})\\b`)
  const src = fileURLToPath(new URL('.', import.meta.url))
  const found = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !keepsPlainText.some((p) => p.test(file)))
    .flatMap((file) =>
      readFileSync(join(src, file), 'utf8')
        .split('\n')
        .map((line, at) => ({ file: relative('.', file), at: at + 1, line }))
        .filter(({ line }) => !/^\s*(?:\/\/|\/?\*)/.test(line))
        .filter(({ line }) => command.test(line.replace(/ \/\/ .*$/, '')) && !lockName.test(line)),
    )
  expect(found.map(({ file, at, line }) => `${file}:${at} ${line.trim()}`)).toEqual([])
})
