import type { ShownCommand } from '@svc/api'
import { expect, test } from 'vitest'
import { handOverCommand, takeSentCommand } from './sent.ts'

const command = { id: 'one' } as ShownCommand

test('the page of the agent takes a command once, and the page of another agent ends the wait', () => {
  handOverCommand({ slug: 'north', name: 'mail', command })
  expect(takeSentCommand('north', 'mail')).toBe(command)
  expect(takeSentCommand('north', 'mail')).toBeUndefined()
  handOverCommand({ slug: 'north', name: 'mail', command })
  expect(takeSentCommand('south', 'mail')).toBeUndefined()
  expect(takeSentCommand('north', 'mail')).toBeUndefined()
})
