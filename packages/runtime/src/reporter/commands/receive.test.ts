import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type Manifest, readManifest } from '@svc/blueprint'
import { limits } from '@svc/protocol'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { onFaultyDisk } from '../../../testing/faulty-disk.ts'
import { agentFolder, manifestText } from '../../../testing/folder.ts'
import { command } from '../../../testing/service.ts'
import { changedBy } from '../../state/changes.ts'
import { pause, readPause, resume } from '../../state/controls.ts'
import { changeSettings, settingsInForce } from '../../state/settings.ts'
import {
  type CommandMemory,
  changeJournal,
  dropAcks,
  forgetOldEntries,
  type Journal,
  knownJournal,
  newCommandMemory,
  owedAcks,
  readJournal,
  saveJournal,
} from './journal.ts'
import { receiveCommands as receiveAll, settleInterrupted } from './receive.ts'

const read = readManifest(manifestText, { for: 'report' })
if (!read.ok) throw new Error('The manifest of the tests is wrong.')
const manifest: Manifest = read.value
let folder: ReturnType<typeof agentFolder>
beforeEach(() => {
  folder = agentFolder()
})
afterEach(() => folder.remove())

type Wire = ReturnType<typeof command>
const receive = (...commands: Wire[]) =>
  receiveAll(folder, manifest, commands as Parameters<typeof receiveAll>[2], 1000)
const acks = () => owedAcks(readJournal(folder))

test("a pause from the service is the file that the machine's own command creates and removes", () => {
  receive(command('1', 'pause'))
  expect(JSON.parse(readFileSync(folder.paused, 'utf8'))).toEqual({ by: 'service', at: 1000, command: '1' })
  expect(resume(folder, { by: 'machine', at: 1001 })).toBe(true)
  expect(readPause(folder)).toBeUndefined()
  expect(acks()).toEqual([{ id: '1', ok: true, message: 'Paused.' }])
})

test('an id that comes again is not applied again, and gets the same ack', () => {
  receive(command('1', 'pause'))
  saveJournal(folder, dropAcks(readJournal(folder), acks()))
  resume(folder, { by: 'machine', at: 1001 })
  expect(acks()).toEqual([])
  expect(receive(command('1', 'pause'))).toEqual([])
  expect(readPause(folder)).toBeUndefined()
  expect(acks()).toEqual([{ id: '1', ok: true, message: 'Paused.' }])
})

test('an ack stays until a report that carried it was answered', () => {
  receive(command('1', 'pause'), command('2', 'resume'))
  const sent = acks().slice(0, 1)
  saveJournal(folder, dropAcks(readJournal(folder), sent))
  expect(acks().map((a) => a.id)).toEqual(['2'])
})

test('an id is echoed exactly as it came, and a command without a type is refused (2.7, D9)', () => {
  const id = `\u0000 \u001b[31m\ud800 ${'\u{1f44d}'.repeat(1900)}`
  receive(command(id, 'pause'), command('2', ''))
  expect(acks()).toEqual([
    { id, ok: true, message: 'Paused.' },
    { id: '2', ok: false, message: 'This agent does not know this command.' },
  ])
  const { author } = readPause(folder) ?? {}
  expect(author && changedBy(author)).toBe(`by the service (command \ufffd [31m\ufffd ${'\u{1f44d}'.repeat(52)})`)
})

test('acks that do not fit into one report go with the next one (D19)', () => {
  const id = (i: number) => `${i}${'\u0001'.repeat(1990)}`
  receive(...Array.from({ length: 12 }, (_, i) => command(id(i), 'resume')))
  const rounds: string[][] = []
  for (let sent = acks(); sent.length > 0; sent = acks()) {
    expect(Buffer.byteLength(JSON.stringify(sent))).toBeLessThan(limits.ackBytes + limits.acks)
    rounds.push(sent.map((ack) => ack.id))
    saveJournal(folder, dropAcks(readJournal(folder), sent))
  }
  expect(rounds.length).toBeGreaterThan(1)
  expect(rounds.flat()).toEqual(Array.from({ length: 12 }, (_, i) => id(i)))
})

test('commands take effect in the order in which they came', () => {
  receive(command('1', 'pause'), command('2', 'run_now'), command('3', 'resume'), command('4', 'run_now'))
  expect(acks().map((a) => a.ok)).toEqual([true, false, true, true])
  expect(existsSync(folder.runNow)).toBe(true)
})

const received: readonly (readonly [string, Wire, () => void, boolean])[] = [
  ['a pause that is in force was done', command('k', 'pause'), () => pause(folder, { by: 'service', at: 1 }), true],
  ['a pause that is not in force was interrupted', command('k', 'pause'), () => {}, false],
  ['a resume in force was done', command('k', 'resume'), () => {}, true],
  [
    'a set whose values are in force was done',
    command('k', 'set', { every: 30 }),
    () => changeSettings(folder, manifest, { every: 30 }, { by: 'service', at: 1 }),
    true,
  ],
  ['a set whose values are not in force was interrupted', command('k', 'set', { every: 30 }), () => {}, false],
  ['a run_now counts as interrupted, since nobody can tell', command('k', 'run_now'), () => {}, false],
]
test.each(received)(
  'killed between received and answered: %s, and is not applied again (D4)',
  (_case, wire, before, ok) => {
    saveJournal(folder, [
      { id: wire.id, type: wire.type, payload: wire.payload as Record<string, unknown>, received: 999 },
    ])
    before()
    const state = () => [existsSync(folder.paused), existsSync(folder.runNow), settingsInForce(folder, manifest)]
    const was = JSON.stringify(state())
    receive(wire)
    expect(JSON.stringify(state())).toBe(was)
    expect(acks()).toMatchObject([{ id: 'k', ok }])
  },
)

test('a set is all or nothing in the settings file, which holds every setting', () => {
  receive(command('1', 'set', { every: 30, note: 'x' }), command('2', 'set', { every: 5, tone: 'loud' }))
  expect(JSON.parse(readFileSync(folder.settings, 'utf8'))).toEqual({ every: 30, tone: 'calm', note: 'x' })
})

test('a default that changes with the manifest takes effect; a value that somebody set stays', () => {
  receive(command('1', 'set', { tone: 'brisk' }))
  const later = readManifest(
    manifestText.replace('default: 10', 'default: 20').replace('default: calm', 'default: brisk'),
    { for: 'report' },
  )
  if (!later.ok) throw new Error('unreachable')
  expect({ ...settingsInForce(folder, later.value) }).toEqual({ every: 20, tone: 'brisk', note: null })
})

test('valid values of a settings file edited by hand count', () => {
  receive(command('1', 'set', { note: 'x' }))
  writeFileSync(folder.settings, '{"every": 15, "tone": "loud", "note": 7}')
  expect({ ...settingsInForce(folder, manifest) }).toEqual({ every: 15, tone: 'calm', note: null })
})

test('without a readable journal nothing is applied, and every command is refused', () => {
  receive(command('1', 'resume'))
  writeFileSync(folder.commands, '{"commands": [')
  expect(receive(command('2', 'pause'))).toEqual([
    { id: '2', type: 'pause', ok: false, message: expect.stringMatching(/^Nothing was done: .*damaged/) },
  ])
  expect(existsSync(folder.paused)).toBe(false)
})

test('a command whose files the disk refuses is refused in its ack', () => {
  receive(command('0', 'resume'))
  rmSync(folder.settings, { force: true })
  const blocked = agentFolder({ '.svc/settings.json/in-the-way': '' })
  receiveAll(blocked, manifest, [{ id: '1', type: 'set', payload: { every: 30 } }], 1000)
  expect(owedAcks(readJournal(blocked))).toEqual([
    { id: '1', ok: false, message: 'The machine could not do it (EISDIR).' },
  ])
  blocked.remove()
})

describe('a disk that takes nothing any more', () => {
  const onFullDisk = (memory: CommandMemory, ...commands: Wire[]) => {
    let handled: ReturnType<typeof receive> = []
    onFaultyDisk(1, 'ENOSPC from then on', () => {
      handled = receiveAll(folder, manifest, commands as Parameters<typeof receiveAll>[2], 1000, memory)
    })
    return handled
  }

  test('a command is refused in its ack, with the file system and what to do, and nothing is changed', () => {
    const memory = newCommandMemory()
    expect(onFullDisk(memory, command('1', 'pause'), command('2', 'set', { every: 30 }))).toMatchObject([
      { id: '1', ok: false },
      { id: '2', ok: false },
    ])
    const sent = owedAcks(knownJournal(folder, memory))
    expect(sent.map(({ id }) => id)).toEqual(['1', '2'])
    for (const { message } of sent)
      expect(message).toMatch(
        /^Nothing was done: .* no space is left on the file system at .* Remove what nobody needs/,
      )
    expect([existsSync(folder.paused), existsSync(folder.settings), existsSync(folder.commands)]).toEqual([
      false,
      false,
      false,
    ])
  })

  test('a refused command that comes again is refused again, also when there is room by then', () => {
    const memory = newCommandMemory()
    onFullDisk(memory, command('1', 'pause'))
    changeJournal(folder, memory, (journal) => dropAcks(journal, owedAcks(journal)))
    receiveAll(folder, manifest, [{ id: '1', type: 'pause', payload: {} }], 1001, memory)
    expect(owedAcks(knownJournal(folder, memory))).toMatchObject([{ id: '1', ok: false }])
    expect(existsSync(folder.paused)).toBe(false)
  })

  test('what was refused is in the journal as soon as there is room', () => {
    const memory = newCommandMemory()
    receive(command('0', 'resume'))
    onFullDisk(memory, command('1', 'pause'))
    expect(readJournal(folder).map(({ id }) => id)).toEqual(['0'])
    settleInterrupted(folder, manifest, 1001, memory)
    expect(readJournal(folder).map(({ id, ok }) => [id, ok])).toEqual([
      ['0', true],
      ['1', false],
    ])
    expect(memory.entries).toEqual([])
  })

  test('a command that was carried out keeps its outcome, although only its beginning could be noted', () => {
    const memory = newCommandMemory()
    saveJournal(folder, [{ id: '1', type: 'run_now', received: 999 }])
    onFullDisk(memory, command('2', 'resume'))
    expect(owedAcks(knownJournal(folder, memory))).toMatchObject([
      { id: '1', ok: false, message: 'Interrupted before it was done.' },
      { id: '2', ok: false },
    ])
    expect(readJournal(folder)).toMatchObject([{ id: '1' }])
  })
})

test('a thousand ids are remembered whatever their age, and all of the last seven days', () => {
  const week = 7 * 86_400
  const entries: Journal = Array.from({ length: 1500 }, (_, i) => ({
    id: String(i),
    type: 'pause',
    received: i,
    answered: i,
    ok: true,
  }))
  const open: Journal = [
    { id: 'open', type: 'log', received: 0 },
    { id: 'owed', type: 'pause', received: 0, answered: 0, ok: true, owed: true },
  ]
  const kept = forgetOldEntries([...open, ...entries], week + 1500)
  expect(kept.length).toBe(1002)
  expect(kept.slice(0, 2)).toEqual(open)
  expect(forgetOldEntries(entries, week).length).toBe(1500)
})
