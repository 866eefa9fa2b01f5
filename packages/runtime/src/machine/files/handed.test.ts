import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SecretSpec } from '@svc/protocol'
import { expect, test } from 'vitest'
import { afterThisTest } from '../../../../../testing/cleaning.ts'
import { password, secretsFiles } from '../../../testing/handed-files.ts'
import { gatherSecrets, secretsNotGiven } from '../../install/secrets.ts'
import { messageOf, Refusal } from '../base/errors.ts'
import { readHandedEnv, readHandedText } from './handed.ts'

function fileOf(bytes: string | Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-handed-'))
  afterThisTest(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'secrets'), bytes)
  return join(folder, 'secrets')
}
const wanted: SecretSpec[] = [
  { name: 'MAIL_PASSWORD', purpose: 'reads the mailbox', optional: false },
  { name: 'EXTRA_KEY', purpose: 'finds more', optional: true },
]

/** Hands a file over as `svc init` does. Returns what it says, and the variables unless it refuses. */
async function handOver(file: string) {
  const said: string[] = []
  try {
    const { env, remarks } = readHandedEnv(file)
    said.push(...remarks)
    const secrets = await gatherSecrets(wanted, { file: env, env: {}, ask: undefined, tell: (line) => said.push(line) })
    if (!secrets.ok) return { said: secrets.message, env: undefined }
    said.push(`Optional secrets that were not given: ${secretsNotGiven(wanted, secrets.values).join(', ')}.`)
    return { said: said.join('\n'), env: Object.fromEntries(env) }
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal)
    return { said: messageOf(error), env: undefined }
  }
}

test('the table has sixty files', () => expect(secretsFiles.length).toBeGreaterThanOrEqual(60))

test.each(secretsFiles)('a secrets file is read whole or refused: $name', async ({ bytes, reads, says }) => {
  const file = fileOf(bytes)
  const { said, env } = await handOver(file)
  expect(env).toEqual(reads)
  for (const part of says) expect(said).toContain(part)
  // The name of the folder is random, so it may have "k1" in it.
  expect(said.replaceAll(file, 'FILE')).not.toMatch(new RegExp(`${password}|MIIEvQ|k1`))
})

test('something else than a file is refused', () => {
  const file = fileOf('')
  mkdirSync(`${file}.d`)
  expect(() => readHandedEnv(`${file}.d`)).toThrow('is not a regular file')
  expect(() => readHandedEnv(`${file}.no`)).toThrow('is not there')
})

test.each([
  ['UTF-16', Buffer.from('\ufeffsvc_agt_x', 'utf16le'), 'The token file FILE is UTF-16; save it as UTF-8.'],
  ['too large', Buffer.alloc(5000, 'x'), 'The token file FILE is larger than 4 KB.'],
  ['not UTF-8', Buffer.from([0xff, 0x41]), 'The token file FILE is not UTF-8'],
])('a token file is refused if it is %s', (_what, bytes, says) => {
  const file = fileOf(bytes)
  expect(() => readHandedText(file, 'The token file', 4096)).toThrow(says.replace('FILE', file))
})
