/** Tests what the options of `npm run release` mean when they are left out. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { optionsOf } from './options.ts'

const root = join(import.meta.dirname, '../..')

test.each([
  [['--service'], 'dist/release'],
  [[], 'dist/cli'],
])('with %j a release goes to %s', (args, folder) => {
  expect(optionsOf(args)).toMatchObject({
    out: join(root, folder),
    keysFile: join(root, 'packages/runtime/release-keys'),
    key: undefined,
  })
})

test('a folder is one of the place where the command is typed', () => {
  expect(optionsOf(['--service', '--out', 'here', '--key', 'mine', '--version', '3.0.0'])).toEqual({
    service: true,
    out: join(process.cwd(), 'here'),
    key: join(process.cwd(), 'mine'),
    keysFile: join(root, 'packages/runtime/release-keys'),
    addKey: false,
    version: '3.0.0',
  })
})
