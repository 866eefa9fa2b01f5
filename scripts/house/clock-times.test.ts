/**
 * Tests that every time of day that the runtime or the service writes says by which clocks it is. The reader may live
 * in another zone. The page is left out: it shows times by the clocks of its reader.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const lines = globSync('packages/{api,protocol,runtime,server}/src/**/*.ts', { cwd: root })
  .filter((file) => !/\.test\.ts$|\/testing\//.test(file))
  .flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .map((line) => ({ file, line: line.trim() })),
  )

/** The files that read a time by the clocks of a zone. Only the first writes it, with the offset of the zone. */
const zoned = [
  'packages/runtime/src/host/jobs/zone.ts',
  'packages/runtime/src/host/jobs/machine-zone.ts',
  'packages/server/src/alerts/rules/hours.ts',
]
const isZoned = (line: string) =>
  /Intl\.DateTimeFormat\b|toLocale\w*String\((?!'en-US'\))|\.get(?:Hours|Day|Date)\(/.test(line)

test('a time by the clocks of a zone is written in one file', () => {
  const files = lines.filter(({ line }) => isZoned(line) && !line.includes('setHours')).map(({ file }) => file)
  expect([...new Set(files)].sort()).toEqual(zoned.toSorted())
})

/** Times in names of files, and a time whose zone the next lines add. */
const others = ['packages/server/src/alerts/messages/words.ts', 'packages/server/src/web/routes/files.ts']

test('a time that is cut out of a longer one says that it is UTC', () => {
  const bare = lines.filter(
    ({ line }) =>
      /toISOString\(\)\s*\.(?:slice|split|substring)\(/.test(line) &&
      !/toISOString\(\)\.slice\(0, 10\)/.test(line) &&
      !/\}Z|\}? UTC/.test(line),
  )
  expect(bare.map(({ file }) => file).sort()).toEqual(others)
})
