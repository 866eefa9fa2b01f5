import { readManifest } from '@svc/blueprint'
import { expect, test } from 'vitest'
import { manifestText } from '../../../testing/folder.ts'
import { type CommandFacts, decideCommand } from './decide.ts'

const read = readManifest(manifestText, { for: 'report' })
if (!read.ok) throw new Error('The manifest of the tests is wrong.')
const facts: CommandFacts = { ...read.value, paused: false }
const bare: CommandFacts = { controls: [], settings: [], paused: false }

test.each([
  ['pause pauses the agent', 'pause', {}, facts, { do: 'pause' }],
  ['resume resumes the agent', 'resume', {}, facts, { do: 'resume' }],
  ['run_now asks for a run', 'run_now', {}, facts, { do: 'run_now' }],
  [
    'run_now is refused while paused (3.6)',
    'run_now',
    {},
    { ...facts, paused: true },
    { do: 'refuse', message: 'Paused. Resume first.' },
  ],
  [
    'a type that controls do not name is refused (D9)',
    'pause',
    {},
    bare,
    { do: 'refuse', message: 'This agent does not offer pause.' },
  ],
  [
    'an unknown type is refused (D9)',
    'reboot',
    {},
    facts,
    { do: 'refuse', message: 'This agent does not know this command.' },
  ],
  [
    'a type that is an inherited property of objects is unknown',
    'constructor',
    {},
    facts,
    { do: 'refuse', message: 'This agent does not know this command.' },
  ],
  ['a log can be requested whatever the controls say', 'log', { name: 'work' }, bare, { do: 'log', name: 'work' }],
  [
    'set accepts valid values',
    'set',
    { every: 30, tone: 'brisk' },
    facts,
    { do: 'set', values: { every: 30, tone: 'brisk' } },
  ],
  [
    'one value out of bounds refuses all (I27)',
    'set',
    { tone: 'brisk', every: 500 },
    facts,
    { do: 'refuse', message: 'Minutes must be between 1 and 120: got 500.' },
  ],
  [
    'an unknown key refuses all',
    'set',
    { tone: 'brisk', speed: 1 },
    facts,
    { do: 'refuse', message: 'There is no setting "speed".' },
  ],
  [
    'null clears a setting without a default (3.6)',
    'set',
    { note: null },
    facts,
    { do: 'set', values: { note: null } },
  ],
  [
    'null does not clear a setting with a default',
    'set',
    { note: 'x', every: null },
    facts,
    { do: 'refuse', message: 'Minutes cannot be cleared: it has the default 10.' },
  ],
] as const)('%s', (_rule, type, payload, given, decision) => {
  expect(decideCommand({ type, payload: payload as Record<string, unknown> }, given)).toEqual(decision)
})
