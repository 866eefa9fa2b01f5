import { afterEach, beforeEach, expect, test } from 'vitest'
import { agentFolder } from '../../../testing/folder.ts'
import type { RuntimeNote } from '../../state/versions/runtime-note.ts'
import { writeAttempt } from './journal.ts'
import { type SelfUpdateHost, selfUpdate } from './update.ts'

const held: RuntimeNote = { hold: { version: '2.0.0', reason: 'no report of it was answered', running: '' } }
const served = { version: '2.0.0', sha256: 'a'.repeat(64) }
type Folder = ReturnType<typeof agentFolder>

let folder: Folder
const stop = new AbortController()
beforeEach(() => {
  folder = agentFolder()
})
afterEach(() => folder.remove())

/** Starts the self-update of a runtime, and collects the outcomes of attempts that it reports to the launcher. */
function started(note: () => RuntimeNote = () => held) {
  const outcomes: string[] = []
  const tell: SelfUpdateHost['tell'] = (message) => {
    if (message.is === 'attempted') outcomes.push(`${message.applied.outcome}: ${message.applied.message}`)
  }
  return { outcomes, runtime: selfUpdate(folder, stop.signal, { tell, say: () => {}, note }) }
}
const onHold = [
  expect.stringMatching(
    /^failed: .*it is on hold on this machine until another .* file is put in place there: no report of it was answered/,
  ),
]

test('a press for a held version while the runtime runs is answered, once', () => {
  const { outcomes, runtime } = started()
  runtime.heard({ runtime: served })
  runtime.heard({ runtime: served, runtime_desired: '2.0.0' })
  runtime.heard({ runtime: served, runtime_desired: '2.0.0' })
  expect(outcomes).toEqual(onHold)
})

test('a press while the machine was off is answered, so that the wish does not stay forever', () => {
  // Version 2.0.0 was tried and rolled back. The service knows that outcome, so its next answer wishes no version.
  writeAttempt(folder, { is: 'ended', wish: '2.0.0', at: 0, begun: 0 })
  started().runtime.heard({ runtime: served })
  const { outcomes, runtime } = started()
  runtime.heard({ runtime: served, runtime_desired: '2.0.0' })
  runtime.heard({ runtime: served, runtime_desired: '2.0.0' })
  expect(outcomes).toEqual(onHold)
})

test('a wish from before the outcome is not answered twice, since its first answer says more', () => {
  writeAttempt(folder, { is: 'ended', wish: '2.0.0', at: 0, begun: 0 })
  const { outcomes, runtime } = started()
  runtime.heard({ runtime: served, runtime_desired: '2.0.0' })
  runtime.heard({ runtime: served, runtime_desired: '2.0.0' })
  expect(outcomes).toEqual([])
})

test('a press in the minutes after another version was kept is answered, too', () => {
  const release = (version: string) => ({ version, sha256: 'b'.repeat(64) })
  const kept = { is: 'kept', from: release('1.0.0'), to: release('1.5.0'), starts: 1, began: 0, processes: 1 } as const
  let note: RuntimeNote = { ...held, trial: kept }
  const { outcomes, runtime } = started(() => note)
  runtime.heard({ runtime: served })
  runtime.heard({ runtime: served, runtime_desired: '2.0.0' })
  expect(outcomes).toEqual([])
  note = held
  runtime.heard({ runtime: served, runtime_desired: '2.0.0' })
  runtime.heard({ runtime: served, runtime_desired: '2.0.0' })
  expect(outcomes).toEqual(onHold)
})
