import { expect, test } from 'vitest'
import { commandHelps } from './main.ts'
import { chooseCommand } from './program.ts'

const run = (...argv: string[]) => {
  const out: string[] = []
  const put = (text: string) => out.push(text)
  return { chosen: chooseCommand(commandHelps, argv, { version: '0', out: put, err: put }), out: out.join('') }
}

const renamed = Object.entries(commandHelps).flatMap(([name, { formerly }]) =>
  formerly === undefined ? [] : [[name, formerly] as const],
)

test('one command has had another name', () => expect(renamed).toEqual([['rollout start', 'rollout begin']]))

test.each(renamed)('%s is also understood as %s, which the help does not show', (name, formerly) => {
  const [noun = '', verb = ''] = formerly.split(' ')
  const typed = ['north', 'mail@1.0.0', '--preview']
  expect(run(noun, verb, ...typed).chosen).toEqual(run(...name.split(' '), ...typed).chosen)
  expect(run(noun, verb, ...typed).chosen).toMatchObject({ name, request: { options: { preview: true } } })
  expect(run(noun, '--help').out).toMatch(new RegExp(`^  ${name.split(' ')[1]} `, 'm'))
  expect(run(noun, '--help').out).not.toMatch(new RegExp(`^  ${verb} `, 'm'))
})
