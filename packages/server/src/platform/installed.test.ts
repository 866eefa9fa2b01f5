/** Tests where the program finds its files, and what starts it from its package. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'esbuild'
import { expect, test } from 'vitest'
import { compiledFolder, ownVersion, placeBeside, threadFile } from './installed.ts'

const root = join(import.meta.dirname, '../../../..')

test('in a checkout the program finds its files among the sources', () => {
  for (const thread of ['judge', 'checkpointer'] as const)
    expect(existsSync(fileURLToPath(threadFile(thread)))).toBe(true)
  expect(existsSync(placeBeside('commonPasswords'))).toBe(true)
  expect(placeBeside('release')).toBe(join(root, 'dist/cli'))
  expect(compiledFolder(['--data-dir', '/elsewhere'])).toBe(join(root, '.cache/compiled'))
  expect(ownVersion()).toBe(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version)
})

test('Node 12 can parse the file that refuses it', () => {
  const source = readFileSync(join(root, 'packages/server/package/svc-server.js'), 'utf8')
  const code = (target: string) => transformSync(source, { target, format: 'cjs', legalComments: 'none' }).code
  expect(code('node12.22')).toBe(code('esnext'))
  expect(transformSync('const a = b?.c', { target: 'node12.22' }).code).not.toContain('?.')
})
