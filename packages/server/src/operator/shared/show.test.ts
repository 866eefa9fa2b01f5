import { ownMachineWords } from '@svc/protocol'
import { expect, test } from 'vitest'
import { reachNote } from './show.ts'

test.each([
  [{ token: 'x', url: 'http://localhost:8787' }, true],
  [{ link: 'http://127.0.0.1:8787/first?token=x' }, true],
  [{ url: 'https://svc.example.org', link: null }, false],
  [{ url: 8787 }, false],
  [[{ url: 'http://localhost:9' }], false],
  [null, false],
])('a command that printed %j is followed by a note about who reaches the address: %s', (value, noted) => {
  expect(reachNote(value)).toBe(noted ? ownMachineWords : undefined)
})
