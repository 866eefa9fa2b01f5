import { expect, test } from 'vitest'
import { crontabCommands } from '../../../testing/crontab-lines.ts'
import { readCrontab } from '../jobs/crontab.ts'
import { entriesOf } from './look.ts'
import { planOutput } from './output.ts'
import { planJobs, planRemoval } from './plan.ts'

const program = '/home/ada/.local/bin/svc-exec'
const after = (line: string, isKept = true) => planOutput(line, 'backup', isKept)

test.each<[string, string, string]>([
  ['a line by hand', '0 3 * * * svc-exec backup -- ./b.sh', '0 3 * * * svc-exec backup --log -- ./b.sh'],
  ['other options', '@daily svc-exec backup --grace 2h -- x', '@daily svc-exec backup --log --grace 2h -- x'],
  ['svc exec', '0 3 * * * /opt/svc exec backup -- x', '0 3 * * * /opt/svc exec backup --log -- x'],
  ['blanks', '0 3 * * *\tsvc-exec \t backup   --  x', '0 3 * * *\tsvc-exec \t backup --log   --  x'],
  [
    'the same words in the command',
    "0 3 * * * svc-exec backup -- echo 'svc-exec backup -- x'",
    "0 3 * * * svc-exec backup --log -- echo 'svc-exec backup -- x'",
  ],
  [
    'the same words before the call',
    "0 3 * * * echo 'exec backup -- x' && svc-exec backup -- x",
    "0 3 * * * echo 'exec backup -- x' && svc-exec backup --log -- x",
  ],
  [
    'a shell around it',
    "0 3 * * * sh -c 'cd /srv && svc-exec backup -- ./b.sh'",
    "0 3 * * * sh -c 'cd /srv && svc-exec backup --log -- ./b.sh'",
  ],
  [
    'two calls',
    '0 3 * * * svc-exec backup -- a; svc-exec backup -- b',
    '0 3 * * * svc-exec backup --log -- a; svc-exec backup --log -- b',
  ],
])('a line with %s gets the option, and loses it again', (_what, before, kept) => {
  expect(after(before).text).toBe(kept)
  expect(after(kept, false).text).toBe(before)
  expect(after(kept)).toMatchObject({ text: kept, changes: [], left: [] })
})

test('the option is taken away wherever it stands', () => {
  for (const line of [
    '0 3 * * * svc-exec backup --grace 2h --log --timeout 1h -- x --log',
    '0 3 * * * svc-exec backup --log --grace 2h --timeout 1h -- x --log',
    '0 3 * * * svc-exec backup --grace 2h --timeout 1h --log -- x --log',
  ])
    expect(after(line, false).text).toBe('0 3 * * * svc-exec backup --grace 2h --timeout 1h -- x --log')
})

test.each<[string, string]>([
  ['another job', '0 3 * * * svc-exec backup-2 -- x'],
  ['a name with a dot that is any character', '0 3 * * * svc-exec backupx -- x'],
  ['no job', '0 3 * * * ./backup.sh'],
  ['a comment', '# 0 3 * * * svc-exec backup -- x'],
])('a line with %s stays as it is', (_what, line) => {
  expect(after(line)).toMatchObject({ text: line, changes: [], left: [] })
})

test.each<[string, string, string]>([
  ['quotes around its name', '0 3 * * * svc-exec "backup" -- x', 'in a way that svc does not change'],
  ['as many bytes as cron takes', `0 3 * * * svc-exec backup -- ${'x'.repeat(960)}`, 'and cron takes 990'],
])('a line with %s is left, with the reason', (_what, line, why) => {
  expect(after(line)).toMatchObject({
    text: line,
    changes: [],
    left: [{ number: 1, why: expect.stringContaining(why) }],
  })
})

test('each line of svc adopt can have the option, and is put back as it was', () => {
  const first = `${crontabCommands.map(([, command], minute) => `${minute} 3 * * * ${command.trimStart()}`).join('\n')}\n`
  const entries = entriesOf(readCrontab(first))
  const { text, changes } = planJobs(first, entries, program)
  let kept = text
  for (const { name } of changes) kept = planOutput(kept, name, true).text
  expect(kept).toBe(planJobs(first, entries, program, '--log').text)
  expect(planRemoval(kept).text).toBe(first)
  for (const { name } of changes) kept = planOutput(kept, name, false).text
  expect(kept).toBe(text)
})
