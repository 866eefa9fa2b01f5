import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fingerprint } from './fingerprint.ts'

function newRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'svc-build-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const folder of ['src/pages', 'src/node_modules']) mkdirSync(join(root, folder), { recursive: true })
  for (const file of ['package.json', 'src/main.ts', 'src/pages/fleet.tsx']) writeFileSync(join(root, file), file)
  return root
}

const before = 1_700_000_000
const changes: [what: string, change: (root: string) => void][] = [
  ['a file that was written', (root) => writeFileSync(join(root, 'src/main.ts'), 'more and more')],
  ['a file that was touched', (root) => utimesSync(join(root, 'src/main.ts'), before, before)],
  ['a new file deep inside', (root) => writeFileSync(join(root, 'src/pages/agent.tsx'), '')],
  ['a file that is gone', (root) => rmSync(join(root, 'src/pages/fleet.tsx'))],
]

test.each(changes)('%s causes a new build', (_what, change) => {
  const root = newRoot()
  const first = fingerprint(root, ['package.json', 'src'])
  expect(fingerprint(root, ['package.json', 'src'])).toBe(first)
  change(root)
  expect(fingerprint(root, ['package.json', 'src'])).not.toBe(first)
})

test('tests and installed packages cause no new build', () => {
  const root = newRoot()
  const first = fingerprint(root, ['src'])
  writeFileSync(join(root, 'src/main.test.ts'), '')
  writeFileSync(join(root, 'src/node_modules/x.js'), '')
  expect(fingerprint(root, ['src'])).toBe(first)
})
