import { expect, test } from 'vitest'
import { activeLine } from './active-line.ts'

const subjects = [{ title: 'backup' }, { title: 'more' }]

test.each([
  [{ kind: 'job', subjects, detail: 'usually 5 min' }, 'job: backup, usually 5 min'],
  [{ kind: 'job', subjects }, 'job: backup'],
  [{ kind: 'job', detail: 'usually 5 min' }, 'job: usually 5 min'],
  [{ kind: 'triage', subjects, detail: 'Reading the attachments' }, 'triage: Reading the attachments'],
  [{ kind: 'triage', subjects }, 'triage: backup'],
  [{ subjects, detail: 'Reading' }, 'Reading'],
  [{ kind: 'triage' }, 'triage'],
  [{}, ''],
])('%j is the line %j', (run, line) => {
  expect(activeLine(run)).toBe(line)
})
