import type { ShownCommand } from '@svc/api'
import { expect, test } from 'vitest'
import { handOverCommand, takeSent } from './sent.ts'

const command = { id: 'one' } as ShownCommand

test('the page of the agent takes a command once, and the page of another agent ends the wait', () => {
  handOverCommand({ slug: 'north', name: 'mail', command })
  expect(takeSent('north', 'mail')).toBe(command)
  expect(takeSent('north', 'mail')).toBeUndefined()
  handOverCommand({ slug: 'north', name: 'mail', command })
  expect(takeSent('south', 'mail')).toBeUndefined()
  expect(takeSent('north', 'mail')).toBeUndefined()
})
