/** Tests where the program finds its files, and what starts it from its package. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'esbuild'
import { expect, test } from 'vitest'
import { compiledFolder, ownVersion, pathBeside, readEarlyArguments, threadFile } from './installed.ts'

const root = join(import.meta.dirname, '../../../..')

test('in a checkout the program finds its files among the sources', () => {
  for (const thread of ['judge', 'checkpointer'] as const)
    expect(existsSync(fileURLToPath(threadFile(thread)))).toBe(true)
  expect(existsSync(pathBeside('commonPasswords'))).toBe(true)
  expect(pathBeside('release')).toBe(join(root, 'dist/cli'))
  expect(compiledFolder(['--data-dir', '/elsewhere'])).toBe(join(root, '.cache/compiled'))
  expect(ownVersion()).toBe(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version)
})

test.each([
  [['start'], 'start', undefined],
  [['--json', 'start', '--port', '9000'], 'start', undefined],
  [['--data-dir', '/srv/start', 'agent', 'list'], 'agent', '/srv/start'],
  [['--data-dir=/srv/data', 'start'], 'start', '/srv/data'],
  [['rollout', 'start', '--data-dir', 'here'], 'rollout', 'here'],
  [['--data-dir'], undefined, undefined],
  [[], undefined, undefined],
])('the first word and the data folder of %j', (args, first, dataDir) => {
  const read = readEarlyArguments(args)
  expect([read.words[0], read.dataDir]).toEqual([first, dataDir])
})

test('Node 12 can parse the file that refuses it', () => {
  const source = readFileSync(join(root, 'packages/server/package/svc-server.js'), 'utf8')
  const code = (target: string) => transformSync(source, { target, format: 'cjs', legalComments: 'none' }).code
  expect(code('node12.22')).toBe(code('esnext'))
  expect(transformSync('const a = b?.c', { target: 'node12.22' }).code).not.toContain('?.')
})
