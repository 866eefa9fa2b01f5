import { expect, test } from 'vitest'
import { crontabCommands } from '../../../testing/crontab-lines.ts'
import { readCrontab } from '../jobs/crontab.ts'
import { entriesOf } from './look.ts'
import { planJobs, planRemoval, tableDiff } from './plan.ts'

const program = '/home/ada/.local/bin/svc-exec'
const plan = (text: string) => planJobs(text, entriesOf(readCrontab(text)), program)
const call = (name: string, shell: string, command: string) =>
  `exec $([ -x ${program} ] && echo ${program} ${name} --) ${shell} -c ${command}`

const table = `# My jobs
MAILTO=""
0 3 * * *  cd /srv && ./backup.sh > /dev/null
  */5\t* * * *\t./poll.sh
@daily /opt/report.py%one%two
@reboot /opt/start.sh
SHELL=/bin/bash

30 4 * * 1 ./backup.sh weekly
0 5 * * * ${program} named --grace 1h -- /opt/named
0 6 * * * /usr/bin/svc-exec Wrong -- /opt/wrong
SHELL="/usr/bin/fish"
0 7 * * * echo fish
SHELL=/bin/zsh
0 8 * * * -quiet
61 * * * * /opt/never.sh
nonsense
0 9 * * * echo it's%\r
`

test('every line that can be a job is one, and all else stays as it was', () => {
  const { text, changes, left } = plan(table)
  expect(changes.map(({ number, name }) => `${number} ${name}`)).toEqual([
    ...['3 backup', '4 poll', '5 report', '9 backup-2', '18 echo'],
  ])
  expect(text.split('\n').filter((line) => line.includes(' && echo '))).toEqual([
    `0 3 * * *  ${call('backup', '/bin/sh', "'cd /srv && ./backup.sh > /dev/null'")}`,
    `  */5\t* * * *\t${call('poll', '/bin/sh', "'./poll.sh'")}`,
    `@daily ${call('report', '/bin/sh', "'/opt/report.py'%one%two")}`,
    `30 4 * * 1 ${call('backup-2', '/bin/bash', "'./backup.sh weekly'")}`,
    `0 9 * * * ${call('echo', '/bin/zsh', "'echo it'\\''s'%\r")}`,
  ])
  expect(left.map(({ number, why }) => `${number} ${why}`)).toEqual([
    '6 runs when the machine starts, so nobody can say when it is due',
    '10 is the job named already',
    '11 calls svc-exec already',
    '13 has the shell /usr/bin/fish',
    '15 has a command that begins with "-"',
    '16 cannot be read',
    '17 cannot be read',
  ])
  expect(planRemoval(text)).toMatchObject({ text: table })
})

test('a second plan changes nothing', () => {
  const { text } = plan(table)
  expect(plan(text)).toMatchObject({ text, changes: [] })
})

test('a job whose name an earlier version chose keeps it', () => {
  const text = `0 3 * * * ${call('bob', '/bin/sh', "'sudo -u bob /opt/backup.sh'")}\n`
  expect(plan(text)).toMatchObject({ text, changes: [], left: [{ number: 1, why: 'is the job bob already' }] })
})

test('a new line gets a name that no job has', () => {
  const { text } = plan('0 3 * * * ./backup.sh\n')
  expect(plan(`${text}0 4 * * * ./backup.sh\n`).changes.map(({ name }) => name)).toEqual(['backup-2'])
  expect(plan('0 3 * * * svc-exec backup -- x\n0 4 * * * ./backup.sh\n').changes[0]?.name).toBe('backup-2')
})

test('the table of a removal is the first one, whatever its commands are', () => {
  const first = `${crontabCommands.map(([, command], minute) => `${minute} 3 * * * ${command.trimStart()}`).join('\n')}\n`
  const { text, changes } = plan(first)
  expect(changes).toHaveLength(crontabCommands.length)
  expect(planRemoval(text).text).toBe(first)
})

test('a removal leaves lines that others changed, and unwraps the rest', () => {
  const { text } = plan('0 3 * * * a\n0 4 * * * b\n0 5 * * * c\n')
  const lines = text.split('\n')
  const changed = [
    '# new',
    lines[0],
    lines[1]?.replace('4 *', '6 *'),
    `${lines[2]} >> /tmp/log`,
    '0 7 * * * d',
    '',
  ].join('\n')
  expect(planRemoval(changed).text).toBe(`# new\n0 3 * * * a\n0 6 * * * b\n${lines[2]} >> /tmp/log\n0 7 * * * d\n`)
})

test.each([
  ['990 bytes', 0, 1],
  ['991 bytes', 1, 0],
])('a line of %s', (_what, more, changes) => {
  const empty = Buffer.byteLength(plan('0 3 * * * x\n').changes[0]?.after ?? '') - 1
  const command = 'x'.repeat(990 - empty + more - 62)
  // The name of the job is the first 63 characters of the command.
  expect(plan(`0 3 * * * ${command}\n`).changes).toHaveLength(changes)
})

test('bytes count, not characters', () => {
  const command = `/bin/a ${'é'.repeat(450)}`
  expect(plan(`0 3 * * * ${command}\n`).left[0]?.why).toMatch(/^would have \d+ bytes, and cron takes 990$/)
})

test('a diff names the lines', () => {
  expect(tableDiff(plan('# a\n0 3 * * * a\n0 4 * * * b\n\n@daily c\n'))).toBe(
    [
      '--- crontab',
      '+++ crontab with jobs',
      '@@ -2,2 +2,2 @@',
      '-0 3 * * * a',
      '-0 4 * * * b',
      `+0 3 * * * ${call('a', '/bin/sh', "'a'")}`,
      `+0 4 * * * ${call('b', '/bin/sh', "'b'")}`,
      '@@ -5 +5 @@',
      '-@daily c',
      `+@daily ${call('c', '/bin/sh', "'c'")}`,
      '',
    ].join('\n'),
  )
  expect(tableDiff(plan('# nothing\n'))).toBe('')
})
