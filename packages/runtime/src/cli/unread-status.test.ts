import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { agentFolder } from '../../testing/folder.ts'
import { readManifestNow } from '../reporter/manifest.ts'
import { agentChecks } from './look/agent-checks.ts'
import { checkText } from './look/checked.ts'
import { readAgentFacts } from './look/facts.ts'
import { statusLines } from './look/status.ts'
import { explainState } from './look/why.ts'

/** Each row puts something at the path of the status file. `absent` is true if there is nothing. */
test.each<[what: string, make: (file: string) => void, says: string, absent?: true]>([
  ['nothing', () => {}, 'is not there', true],
  ['a folder', (file) => mkdirSync(file), 'is not a regular file'],
  ['a link that leads nowhere', (file) => symlinkSync('nowhere', file), 'is a link that leads nowhere'],
  ['a link to itself', (file) => symlinkSync('status.json', file), 'is a link that cannot be followed (ELOOP)'],
  ['a link out of the folder', (file) => symlinkSync('/dev/null', file), "leads out of the agent's folder"],
  ['an empty file', (file) => writeFileSync(file, ''), 'is not JSON: it is empty'],
  ['half a file', (file) => writeFileSync(file, '{"state":{"lev'), 'is not JSON: it ends too early'],
  ['a list', (file) => writeFileSync(file, '[]'), 'holds no JSON object'],
  ['a large file', (file) => writeFileSync(file, Buffer.alloc(300_000)), 'is larger than 256 KB'],
])('status, why and doctor say of %s what is wrong with it', (_what, make, says, absent) => {
  using agent = { ...agentFolder(), [Symbol.dispose]: () => agent.remove() }
  mkdirSync(join(agent.root, 'state'))
  make(join(agent.root, 'state/status.json'))
  const manifest = readManifestNow(agent)
  if (!manifest.ok) throw new Error(manifest.message)
  const facts = readAgentFacts({ folder: agent, manifest: manifest.value })
  const said = `state/status.json ${says}`
  expect(statusLines(facts).join('\n')).toContain(said)
  const checks = agentChecks(agent).map(checkText)
  expect(checks.filter((line) => line.includes('Status file'))).toEqual([expect.stringContaining(said)])
  const reasons = explainState(facts, Date.now() / 1000).join('\n')
  expect(reasons).toContain(absent ? 'It has not written state/status.json yet' : said)
  expect(reasons.includes('has not written')).toBe(absent === true)
})
