/**
 * Runs every command of `svc-server` once as the program of the package, which `npm run test:long` starts, and from the
 * sources in the same condition: both must end in the same way. `npm test` leaves this out. It starts the program once
 * for each command, so only the long form runs it.
 */
import { expect, test } from 'vitest'
import { level } from '../../../../testing/level.ts'
import { runHere } from '../../testing/operator.ts'
import { newServiceHome, populate, type ServiceHome } from '../../testing/service-process.ts'
import { commands } from './commands/all.ts'

/** The word for each argument. Some words name nothing, so the command is refused. */
const typed: Readonly<Record<string, string>> = {
  '<slug>': 'north',
  '<email>': 'ada@example.org',
  '[email]': 'ada@example.org',
  '<slug/name>': 'north/mail',
  '<slug[/name]>': 'north/mail',
  '<slug/id>': 'north/1',
  '<slug/name@version>': 'north/mail@1.0.0',
  '<blueprint@version>': 'mail@1.0.0',
  '<product>': 'svc',
  '<on|off>': 'on',
  '<role>': 'member',
  '<what>': 'pause',
  '<rule>': 'silent',
  '<version>': '1.0.0',
  '<names>': 'mail',
  '<name>': 'other',
  '<id>': '1',
  '<folder>': '.',
  '<file>': 'today.backup',
  '<file.zip>': 'no.zip',
}
/** The words after the name of a command, for commands that need others than `typed` gives. */
const special: Readonly<Record<string, readonly string[]>> = {
  'workspace create': ['south'],
  'workspace limit': ['north', '--agents', '100'],
  'person create': ['bo@example.org', '--name', 'Bo', '--workspace', 'north', '--role', 'member'],
  'agent create': ['north/second'],
  'agent tag': ['north/mail', '--add', 'eu'],
  'view set': ['north', 'other', '--filter', 'tag:eu'],
  'rule set': ['north', 'silent', '--off'],
  'channel add': ['north', 'mail', '--kind', 'webhook', '--url', 'https://example.org/svc'],
  'alert mute': ['north', '--for', '1h'],
  'action send': ['north', 'pause', '--agents', 'mail'],
}
/** Commands that take something away come last, since others need it. */
const isEnd = (name: string) => / (delete|remove|revoke|deactivate)$/.test(name)
const ordered = Object.keys(commands).sort((a, b) => Number(isEnd(a)) - Number(isEnd(b)))

function wordsFor(name: string): string[] {
  const args = (commands[name]?.args ?? []).flatMap(([arg]) => typed[arg] ?? (arg.startsWith('[') ? [] : [`no ${arg}`]))
  return [...name.split(' '), ...(special[name] ?? args)]
}

/** Replaces what differs between two homes in a text: the folder, the address, and ids. */
const common = ({ folder, url }: ServiceHome, text: string) =>
  text
    .replaceAll(folder, 'FOLDER')
    .replaceAll(url, 'URL')
    .replace(/[\w-]{20,}/g, 'ID')

test.runIf(level === 'long')(
  'each command ends from the package as it does from the sources',
  {
    timeout: 600_000,
  },
  async () => {
    const [ofPackage, ofSources] = [await newServiceHome(), await newServiceHome()]
    for (const home of [ofPackage, ofSources]) await populate(home)
    const input = 'correct horse battery'
    let done = 0
    for (const name of ordered) {
      const words = wordsFor(name)
      const packaged = await ofPackage.runProgram(words, input)
      const expected = await runHere(words, { env: ofSources.env, cwd: ofSources.folder }, input)
      expect([words, packaged.code, common(ofPackage, packaged.stderr)]).toEqual([
        words,
        expected.code,
        common(ofSources, expected.stderr),
      ])
      if (name in special) expect(packaged.code, `${name}: ${packaged.stderr}`).toBe(0)
      if (packaged.code === 0) done++
    }
    expect(done).toBeGreaterThan(50)
  },
)
