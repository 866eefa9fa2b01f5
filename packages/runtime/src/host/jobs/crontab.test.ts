import { expect, test } from 'vitest'
import { type CrontabEntry, readCrontab } from './crontab.ts'

const entry = (text: string): CrontabEntry => {
  const line = readCrontab(text)[0]
  if (line?.is !== 'entry') throw new Error(`no entry: ${JSON.stringify(line)}`)
  return line
}

test('a carriage return inside of a command, as in a line that svc adopt wrapped, ends nothing', () => {
  expect(entry("0 3 * * * svc-exec backup -- sh -c './backup.sh\r'")).toMatchObject({
    command: "svc-exec backup -- sh -c './backup.sh\r'",
    calls: [{ name: 'backup' }],
  })
  expect(readCrontab('NOTE="a\rb"')).toMatchObject([{ is: 'assignment', name: 'NOTE', value: 'a\rb' }])
})

test('each line is one of four things, and all texts together are the table', () => {
  const table = `# m h dom mon dow command
SHELL=/bin/bash
  MAILTO = "ada@example.com"
'PATH'='/usr/bin:/bin'

  # a comment
0 3 * * * backup
\t*/5\t*  * * *  cd /srv && ./poll.sh --quiet >/dev/null 2>&1
@daily rotate
SHELL=/bin/sh
30 4 * * 1 weekly\r
nonsense
0 3 * *
60 3 * * * wrong`
  const lines = readCrontab(table)
  expect(lines.map(({ text }) => text).join('\n')).toBe(table)
  expect(lines.map((line) => `${line.number} ${line.is}`)).toEqual([
    ...['1 nothing', '2 assignment', '3 assignment', '4 assignment', '5 nothing', '6 nothing', '7 entry'],
    ...['8 entry', '9 entry', '10 assignment', '11 entry', '12 unreadable', '13 unreadable', '14 entry'],
  ])
  expect(lines[2]).toMatchObject({ name: 'MAILTO', value: 'ada@example.com' })
  expect(lines[7]).toMatchObject({ fields: '*/5\t*  * * *', command: 'cd /srv && ./poll.sh --quiet >/dev/null 2>&1' })
  expect(lines[8]).toMatchObject({ fields: '@daily', command: 'rotate', environment: { SHELL: '/bin/bash' } })
  expect(lines[10]).toMatchObject({ command: 'weekly', environment: { SHELL: '/bin/sh', PATH: '/usr/bin:/bin' } })
  expect(lines[13]).toMatchObject({ wrong: expect.stringContaining('cannot be read'), calls: [] })
})

test('an empty table has no entries', () => {
  expect(readCrontab('')).toEqual([{ number: 1, text: '', is: 'nothing' }])
})

test.each([
  ['svc-exec backup -- /srv/backup.sh', ['backup']],
  ['/home/ada/.local/bin/svc-exec backup --grace 2h --no-overlap -- tar c /srv', ['backup']],
  ['svc exec backup -- tar c /srv', ['backup']],
  ['/usr/bin/node /opt/svc.pyz exec backup -- tar', ['backup']],
  ['"/opt/my tools/svc-exec" backup -- tar', ['backup']],
  ['$HOME/.local/bin/svc-exec backup -- tar', ['backup']],
  ['cd /srv && svc-exec backup -- ./backup.sh >/dev/null 2>&1', ['backup']],
  ['PATH=/bin TZ=UTC svc-exec backup -- ./backup.sh', ['backup']],
  ['sudo -u ada nice -n 10 svc-exec backup -- ./backup.sh', ['backup']],
  ['flock -n /tmp/lock svc-exec backup -- ./backup.sh', ['backup']],
  ["flock -n /tmp/lock -c 'svc-exec backup -- ./backup.sh'", ['backup']],
  ['bash -lc "cd /srv; svc-exec backup -- ./backup.sh"', ['backup']],
  ['if mountpoint -q /srv; then svc-exec backup -- ./backup.sh; fi', ['backup']],
  ['[ -x /usr/bin/svc-exec ] && svc-exec backup -- ./backup.sh', ['backup']],
  ["exec $([ -x /a/svc-exec ] && echo /a/svc-exec backup --) /bin/sh -c 'cd /srv && ./backup.sh'", ['backup']],
  ['svc-exec one -- a; svc-exec two -- b', ['one', 'two']],
  ["svc-exec one -- sh -c 'svc-exec two -- b'", ['one']],
  ['svc-exec backup -- mail -s \\% ada%svc-exec two -- b', ['backup']],
  ['svc-exec backup -- x # svc-exec two -- b', ['backup']],
  ['./backup.sh', []],
  ['test -x /usr/bin/svc-exec', []],
  ['cp svc-exec /usr/bin/', []],
  ["ssh vela 'svc-exec backup -- x'", []],
  ['echo svc-exec backup -- x', []],
  ['./backup.sh%svc-exec backup -- x', []],
  ["echo 'unfinished svc-exec backup -- x", []],
])('the jobs in %s', (command, jobs) => {
  const { calls } = entry(`0 3 * * * ${command}`)
  expect(calls.map(({ name, wrong }) => wrong ?? name)).toEqual(jobs)
})

test('a call gives the options and the command', () => {
  const wrapped = "exec $([ -x /a/svc-exec ] && echo /a/svc-exec backup --) /bin/sh -c './backup.sh > /dev/null'"
  expect(entry(`0 3 * * * ${wrapped}`).calls).toEqual([
    { name: 'backup', noOverlap: false, log: false, command: ['/bin/sh', '-c', './backup.sh > /dev/null'] },
  ])
  expect(entry('0 3 * * * svc-exec b --grace 2h --log -- date +\\%F').calls).toEqual([
    { name: 'b', grace: 7200, noOverlap: false, log: true, command: ['date', '+%F'] },
  ])
})

test.each([
  ['svc-exec Backup -- x', 'must be the name of the job'],
  ['svc-exec backup', 'There is no command'],
  ['svc-exec backup --', 'There is no command'],
  ['svc-exec backup --grce 2h -- x', 'There is no option'],
  ['svc-exec backup --grace 2 -- x', '--grace needs'],
  ["svc-exec backup --cron '60 * * * *' -- x", 'The schedule cannot be read'],
  ["svc-exec backup --cron '0 3 * * *' --tz Europe/Nowhere -- x", 'The schedule has an unknown time zone'],
])('the call in %s is wrong', (command, says) => {
  expect(entry(`0 3 * * * ${command}`).calls[0]?.wrong).toContain(says)
})

test('a call with words that the shell fills in is not judged', () => {
  expect(entry('0 3 * * * svc-exec backup --grace $GRACE -- x').calls).toEqual([
    { name: 'backup', noOverlap: false, log: false, command: ['x'] },
  ])
})
