import { expect, test } from 'vitest'
import { bothFound, type FoundTool } from './session.ts'

const found = (more: Partial<FoundTool> = {}): FoundTool => ({
  ...{ tool: 'opencode', sessions: [], elsewhere: 0, faults: [], remarks: [] },
  ...more,
})
const unread = found({ isUnread: true, remarks: ['needs Node 22.13'] })

test('two folders that cannot be read are one that cannot be read, and the reason is said once', () => {
  expect(bothFound(unread, unread)).toMatchObject(unread)
  expect(bothFound(unread, found()).isUnread).toBeFalsy()
})

test('two folders of a tool have the faults of both, each once', () => {
  const faults = bothFound(found({ faults: ['a', 'b'] }), found({ faults: ['b', 'c'] })).faults
  expect(faults).toEqual(['a', 'b', 'c'])
})
