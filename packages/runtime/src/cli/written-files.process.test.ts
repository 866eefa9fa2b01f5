/**
 * Tests that commands which change a file of a person keep what they do not understand, or refuse and change nothing.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { agentFolder, svc, token } from '../../testing/folder.ts'

const origin = 'http://127.0.0.1:9'
let folder: ReturnType<typeof agentFolder>
afterEach(() => folder.remove())

const messy = '# mine\nexport B=2\nlower=x\nA=1\r\n'

test('secrets set, secrets unset and connect keep lines that they do not understand', async () => {
  folder = agentFolder({ '.svc/secrets.env': messy, '.svc/agent.env': messy })
  expect(await svc(folder, ['secrets', 'set', 'NEW'], { input: 'grün\n' })).toMatchObject({ code: 0 })
  expect(readFileSync(folder.secrets, 'utf8')).toBe(`${messy}NEW=grün\r\n`)
  expect(await svc(folder, ['secrets', 'unset', 'A'])).toMatchObject({ code: 0 })
  expect(readFileSync(folder.secrets, 'utf8')).toBe('# mine\nexport B=2\nlower=x\nNEW=grün\r\n')
  const list = await svc(folder, ['secrets', 'list'])
  expect(list.err).toContain('secrets.env has a line 2 that begins with "export"; write only NAME=value.')
  const connected = await svc(folder, ['connect', '--url', origin, '--no-test'], { input: token })
  expect(connected.code).toBe(0)
  expect(readFileSync(folder.env, 'utf8')).toBe(`${messy}SVC_URL=${origin}\r\nSVC_TOKEN=${token}\r\n`)
  const doctor = await svc(folder, ['doctor', '--offline'])
  expect(doctor.out).toContain('secrets.env has a line 3 that has a name with other characters')
})

test('set refuses while the settings file is not JSON, and says where', async () => {
  folder = agentFolder({ '.svc/settings.json': '{"every": 5,}' })
  const ran = await svc(folder, ['set', 'every=7'])
  expect(ran).toMatchObject({ code: 1, out: '' })
  expect(ran.err).toContain('settings.json is not JSON: a comma too many at line 1, column 12. Correct or delete it.')
  expect(readFileSync(folder.settings, 'utf8')).toBe('{"every": 5,}')
  expect((await svc(folder, ['doctor', '--offline'])).out).toContain('settings.json is not JSON: a comma too many')
  expect((await svc(folder, ['set', 'every=7', 'every=8'])).err).toContain('The setting "every" is named twice.')
})

test('a secret on standard input that is not UTF-8 is refused', async () => {
  folder = agentFolder({})
  const latin1 = join(folder.root, 'latin1')
  writeFileSync(latin1, Buffer.from('gr\u00fcn', 'latin1'))
  const ran = await svc(folder, ['secrets', 'set', 'NEW'], { input: readFileSync(latin1) as unknown as string })
  expect(ran).toMatchObject({ code: 2, out: '' })
  expect(ran.err).toContain('Standard input is not UTF-8 (byte 0xFC at line 1, column 3')
})
