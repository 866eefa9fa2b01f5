import { expect, test } from 'vitest'
import { codesAsCsv, codesAsLines, usableCodes } from './Several.tsx'

const codes = [
  { agentName: 'mail', code: 'svc_inst_a', expiresAt: Date.UTC(2026, 10, 27, 12, 15) },
  { agentName: 'mail-10', code: 'svc_inst_b', expiresAt: Date.UTC(2026, 10, 27, 12, 15) },
]

test('codes are lines with their agents, or a file with their end', () => {
  expect(codesAsLines(codes)).toBe('mail     svc_inst_a\nmail-10  svc_inst_b')
  expect(codesAsCsv(codes)).toBe(
    'agent,code,valid_until\r\nmail,svc_inst_a,2026-11-27T12:15:00.000Z\r\nmail-10,svc_inst_b,2026-11-27T12:15:00.000Z\r\n',
  )
})

test('used, revoked, expired and barred codes cannot be used any more', () => {
  const states = ['live', 'redeemed', 'revoked', 'expired', 'barred'] as const
  const listed = states.map((state) => ({ id: state, state }))
  expect(usableCodes([...listed, { id: 'new' }], listed).map(({ id }) => id)).toEqual(['live', 'new'])
  expect(usableCodes([{ id: 'new' }])).toEqual([{ id: 'new' }])
})
