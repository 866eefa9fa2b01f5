import { expect, test } from 'vitest'
import { readOptions, usage, usualFleet } from './options.ts'

const usual = { agents: usualFleet, port: undefined, keep: false, json: false }

test.each([
  [[], usual],
  [['--agents', '0'], { ...usual, agents: 0 }],
  [['--agents', '1'], { ...usual, agents: 1 }],
  [['--agents=200', '--json'], { ...usual, agents: 200, json: true }],
  [['--agents', '10000', '--port', '9000', '--keep'], { ...usual, agents: 10_000, port: 9000, keep: true }],
])('%j starts the demo', (args, options) => {
  expect(readOptions(args)).toEqual({ is: 'run', options })
})

test('--help prints the options, whatever else is given', () => {
  expect(readOptions(['--help', '--agents', 'x'])).toEqual({ is: 'help' })
  for (const option of ['--agents N', '--port N', '--keep', '--json', '--help']) expect(usage).toContain(option)
  expect(usage).toContain('0 to 10,000')
})

test.each(['10001', '-1', '1.5', '5,000', 'many', '', '1e3', ' 5'])(
  '--agents=%j is refused with what is possible',
  (text) => {
    const message = `--agents must be a whole number from 0 to 10000: got "${text}".`
    expect(readOptions([`--agents=${text}`])).toEqual({ is: 'refused', message })
  },
)

test.each([['--port', '0'], ['--port', '65536'], ['--port', 'http'], ['--fleet'], ['200'], ['--agents'], ['--keep=1']])(
  '%s %s is refused',
  (...args) => {
    expect(readOptions(args.filter((arg) => arg !== undefined))).toMatchObject({ is: 'refused' })
  },
)
