import { expect, test } from 'vitest'
import { crontabCommands } from '../../../testing/crontab-lines.ts'
import { isUnquotedPath, unwrapLine, wrapLine } from './wrapping.ts'

const wrap = { program: '/home/ada/.local/bin/svc-exec', name: 'backup', shell: '/bin/sh' }

test('a wrapped line keeps its times and its command whole', () => {
  expect(wrapLine({ before: '0 3 * * *  ', command: 'cd /srv && ./backup.sh > /dev/null' }, wrap)).toBe(
    "0 3 * * *  exec $([ -x /home/ada/.local/bin/svc-exec ] && echo /home/ada/.local/bin/svc-exec backup --) /bin/sh -c 'cd /srv && ./backup.sh > /dev/null'",
  )
})

test.each([
  ['cat%in', "'cat'%in"],
  ['date +\\%F', "'date +\\%F'"],
  ['date +\\%F%in\\%', "'date +\\%F'%in\\%"],
  ['echo a\\\\%b', "'echo a\\\\'%b"],
  ['echo a\\', "'echo a\\'"],
  ['%', "''%"],
  ["it's", "'it'\\''s'"],
])('the closing quote of %j stands where cron cuts', (command, quoted) => {
  const line = wrapLine({ before: '@daily ', command }, wrap)
  expect(line.slice(line.indexOf(' -c ') + 4)).toBe(quoted)
})

test.each(crontabCommands)('%s is unwrapped as it was', (_what, command) => {
  for (const before of ['0 3 * * *  ', '\t*/5\t1,2 1-5 jan Mon-Fri\t', '@daily '])
    for (const options of [undefined, '--timeout 1h --no-overlap']) {
      const text = `${before}${command.trimStart()}`
      const line = wrapLine({ before, command: command.trimStart() }, { ...wrap, options })
      expect(unwrapLine(line)).toEqual({ ...wrap, text, ...(options !== undefined && { options }) })
      expect(line.split('\n')).toHaveLength(1)
    }
})

const good = wrapLine({ before: '0 3 * * * ', command: 'true' }, wrap)
test.each([
  ['a line without svc', '0 3 * * * true'],
  ['a line written by hand', '0 3 * * * /home/ada/.local/bin/svc-exec backup -- true'],
  ['two paths', good.replace('.local/bin/svc-exec ]', 'bin/svc-exec ]')],
  ['another program', good.replaceAll('svc-exec', 'other')],
  ['something after it', `${good} > /dev/null`],
  ['something before it', good.replace('exec', 'cd / && exec')],
  ['a comment', `# ${good}`],
  ['no command', good.replace(" -c 'true'", '')],
  ['a percent sign in the quotes', good.replace("'true'", "'true%'")],
  ['a shell in quotes', good.replace('/bin/sh', '"/bin/sh"')],
  ['a command in the name', good.replace('backup --', '$(id) --')],
])('%s is not unwrapped', (_what, line) => {
  expect(unwrapLine(line)).toBeUndefined()
})

test.each([
  ['/home/ada/.local/bin/svc-exec', true],
  ['/home/zoë/bin/svc-exec', true],
  ['/home/ada b/svc-exec', false],
  ['/home/100%/svc-exec', false],
  ["/home/it's/svc-exec", false],
  ['/home/$x/svc-exec', false],
  ['~/bin/svc-exec', false],
  ['bin/svc-exec', false],
])('%s can be written into a crontab without quotes: %s', (path, can) => {
  expect(isUnquotedPath(path)).toBe(can)
})
