/** Tests the stored copy of a parsed manifest. Commands use this copy instead of parsing the manifest again. */
import { chownSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { afterThisTest } from '../../../../testing/cleaning.ts'
import { agentFolder } from '../../testing/folder.ts'
import { manifestForCommand, manifestNow } from './known.ts'

const text = 'name: mail-triage\nversion: 1.4.0\ncontrols: [pause]\n'
const folder = () => {
  const agent = agentFolder({ 'svc.agent.yaml': text })
  afterThisTest(() => agent.remove())
  return agent
}
const copyOf = (agent: ReturnType<typeof agentFolder>) => join(agent.journal, 'manifest.json')
/**
 * A folder whose stored copy of the manifest differs from the text of the manifest, so that a test sees which of the
 * two is used.
 */
const withCopy = async () => {
  const agent = folder()
  await manifestNow(agent, '7.8.9')
  writeFileSync(copyOf(agent), readFileSync(copyOf(agent), 'utf8').replace('"pause"', '"resume"'))
  return agent
}
const controls = async (...given: Parameters<typeof manifestForCommand>) => {
  const manifest = await manifestForCommand(...given)
  return manifest.ok ? manifest.value.controls : manifest.message
}

test('a command uses the copy made from this same text and version, and otherwise reads the manifest', async () => {
  const agent = await withCopy()
  expect(await controls(agent, '7.8.9')).toEqual(['resume'])
  expect(await controls(agent, '7.8.10')).toEqual(['pause'])
  writeFileSync(agent.manifest, `${text}# changed\n`)
  expect(await controls(agent, '7.8.9')).toEqual(['pause'])
})

test('a command leaves no copy behind', async () => {
  const agent = folder()
  expect(await controls(agent, '7.8.9')).toEqual(['pause'])
  expect(existsSync(copyOf(agent))).toBe(false)
})

test.runIf(process.getuid?.() === 0)('a command does not use a copy that belongs to somebody else', async () => {
  const agent = await withCopy()
  chownSync(copyOf(agent), 12_345, 12_345)
  expect(await controls(agent, '7.8.9')).toEqual(['pause'])
})
