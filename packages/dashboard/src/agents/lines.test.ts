import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { connectLine, downloadLines, initLine, reportLine, runLine, serviceLine, shellWord } from './lines.ts'

const asTheShellReads = (word: string) =>
  execFileSync('sh', ['-c', `printf %s ${word}`], { env: { HOME: '/home/ann' } }).toString()

test.each([
  ['/srv/mail-triage', '/srv/mail-triage'],
  ['~/agents/one', '/home/ann/agents/one'],
  ['~/my agents/one', '/home/ann/my agents/one'],
  ["/srv/it's here", "/srv/it's here"],
  ['$(touch /tmp/x)', '$(touch /tmp/x)'],
  ['a;b', 'a;b'],
  ['', ''],
])('a folder %s reaches the program as it was typed', (typed, read) => {
  expect(asTheShellReads(shellWord(typed))).toBe(read)
})

test('the lines fetch the program, check it, connect, report; the token is in none of them', () => {
  expect(downloadLines('https://svc.example.org')).toBe(
    'curl -fsSO https://svc.example.org/cli/svc.pyz\ncurl -fsS https://svc.example.org/cli/svc.pyz.sha256 | sha256sum -c',
  )
  expect(connectLine('https://svc.example.org', 'mail-triage', '/srv/mail')).toBe(
    'python3 svc.pyz connect --url https://svc.example.org --dir /srv/mail --name mail-triage',
  )
  expect(reportLine('.')).toBe('python3 svc.pyz report --dir .')
})

test('the lines of an installation ask for the code; it is in none of them', () => {
  expect(initLine('https://svc.example.org')).toBe('python3 svc.pyz init --url https://svc.example.org')
  expect(serviceLine('mail-triage')).toBe('python3 svc.pyz service install --dir mail-triage')
  expect(runLine('my agent')).toBe("python3 svc.pyz run --dir 'my agent'")
})
