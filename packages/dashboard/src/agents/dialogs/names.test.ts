import { isAgentName } from '@svc/protocol'
import { expect, test } from 'vitest'
import { wrongWithName } from './names.ts'

test.each(['', 'Mail', 'mail triage', '-mail', 'mail-', 'mail--triage', 'con', 'a'.repeat(64), 'é'])(
  '"%s" is refused with a reason',
  (name) => {
    expect(isAgentName(name)).toBe(false)
    expect(wrongWithName(name)).toMatch(/\.$/)
  },
)
test.each(['mail-triage', 'a', '7', 'a'.repeat(63)])('"%s" is a name', (name) => {
  expect(wrongWithName(name)).toBeNull()
})
