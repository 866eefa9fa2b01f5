/** Tests which commands a start of `svc` loads into memory. */
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { buildProgram } from './program.ts'

const loadedFor = async (...args: string[]) => (await buildProgram(args)).commands.map((command) => command.name())
const all = await loadedFor()

test('the help and a mistyped command load every command', async () => {
  expect(all.length).toBeGreaterThan(25)
  for (const args of [['--help'], ['help', 'status'], ['stauts'], ['--dir', '.', 'status'], ['toString']])
    expect(await loadedFor(...args), args.join(' ')).toEqual(all)
})

test.each(all)('"svc %s" loads that command and no other', async (name) => {
  expect(await loadedFor(name, '--dir', '.')).toEqual([name])
})

test('the version loads no command', async () => {
  expect(await loadedFor('--version')).toEqual([])
  expect(await loadedFor('-V')).toEqual([])
})

test('the help lists every command, and each explains itself with an example', async () => {
  const svc = await buildProgram(['--help'])
  const help = svc.helpInformation()
  for (const command of svc.commands) {
    expect(help).toMatch(new RegExp(`^ {2}${command.name()}\\b`, 'm'))
    let out = ''
    command.configureOutput({ writeOut: (text) => (out += text) }).outputHelp()
    expect(out).toMatch(new RegExp(`^ +\\$ .*\\b${command.name()}\\b`, 'm'))
  }
})

test('no description breaks a line within a sentence, since the help breaks lines to fit the terminal', async () => {
  const broken = everyCommand(await buildProgram(['--help']))
    .filter((command) => /[^.:!?]\n(?! )\S/.test(command.description()))
    .map((command) => command.name())
  expect(broken).toEqual([])
})

const everyCommand = (command: Command): Command[] => [command, ...command.commands.flatMap(everyCommand)]
