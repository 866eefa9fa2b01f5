import { expect, test } from 'vitest'
import { sealKeyOf } from '../../platform/seal.ts'
import type { Delivery } from './call.ts'
import { mailOf } from './mail.ts'
import { ntfy } from './ntfy.ts'

const title = `x${'👍'.repeat(300)}`
const text = { title, lines: [], url: 'https://svc.example.org/north', level: null }
const delivery: Delivery = { id: 'd1', text, body: '{}', at: 0 }
const key = sealKeyOf('a secret of at least thirty-two characters')

test.each([
  ['the subject of a mail', () => mailOf({ id: 'd1', text, baseUrl: 'https://svc.example.org' }).subject],
  ['the title of ntfy', async () => JSON.stringify(await ntfy({ url: 'https://ntfy.example.org/t' }, delivery, key))],
])('%s is not cut within a character', async (_what, made) => {
  expect(await made()).not.toMatch(/\ufffd|=EF=BF=BD|77\+9|\\ud83d(?!\\udc4d)/i)
})
