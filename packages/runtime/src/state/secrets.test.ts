import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { agentFolder } from '../../testing/folder.ts'
import { secretsHealth } from './secrets.ts'

let folder: ReturnType<typeof agentFolder>
beforeEach(() => {
  folder = agentFolder({ '.svc/secrets.env': 'MAIL_PASSWORD=correct horse\n' })
})
afterEach(() => folder.remove())

const secret = (name: string, optional = false) => ({ name, purpose: 'x', optional })

test('required secrets that nobody has typed are a warning that only names them, for as long as they are missing', () => {
  const secrets = [secret('MAIL_PASSWORD'), secret('NOTIFY_TOKEN'), secret('OTHER'), secret('EXTRA', true)]
  const [item] = secretsHealth(folder, { secrets })
  expect(item).toMatchObject({ name: 'Missing secrets', level: 'warn' })
  expect(item?.detail).toMatch(/^NOTIFY_TOKEN, OTHER not set\./)
  expect(item?.detail).not.toContain('correct')
  writeFileSync(folder.secrets, 'MAIL_PASSWORD=a\nNOTIFY_TOKEN=b\nOTHER=c\n')
  expect(secretsHealth(folder, { secrets })).toEqual([])
})
