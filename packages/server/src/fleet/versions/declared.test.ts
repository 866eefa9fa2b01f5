import { expect, test } from 'vitest'
import { declaredLogsIn } from './declared.ts'

test('the logs of a manifest are offered by name, but a log that stands for many is not (2.7)', () => {
  const logs = [
    { name: 'work', path: 'state/work.log' },
    { name: 'job/*', path: 'state/jobs/*/last.log' },
    { name: 'a*', path: 'state/a.log' },
  ]
  expect(declaredLogsIn(JSON.stringify({ logs }))).toEqual(['work', 'a*'])
})
