import { expect, test } from 'vitest'
import { readManifest } from './read.ts'
import { isTooOld, manifestAdditions, neededSvc, neededSvcText } from './since.ts'

const head = 'name: a\nversion: 1.0.0\n'
const needed = (lines: string) => {
  const read = readManifest(head + lines, { for: 'report' })
  return read.ok ? neededSvc(read.value) : read.findings
}

test.each([
  ['', undefined],
  ['state: [data, notes.txt]\nsettings: []\n', undefined],
  ['needs: [restic]\n', '0.2.0'],
  ['needs: []\n', '0.2.0'],
  ['state: [data.d/]\n', '0.2.0'],
  ['state: [state]\nlogs: [{name: work, path: state/work.log}]\n', undefined],
  ['state: [state]\nlogs: [{name: printed, path: state/printed.log, output: true}]\n', '0.2.0'],
  ['logs: [{name: work, path: state/work.log, output: false}]\n', '0.2.0'],
  ['state: [state]\nlogs: [{name: job/*, path: state/jobs/*/last.log}]\n', undefined],
])('a manifest needs the version of svc that understands everything in it: %j', (lines, version) => {
  expect(needed(lines)).toEqual(version && expect.objectContaining({ version }))
})

test('the version that a manifest needs is shown with the reason', () => {
  const found = needed('needs: [restic]\nstate: [data.d/]\n')
  expect(found && 'version' in found && neededSvcText(found)).toBe(
    'svc 0.2.0 or newer (the key "needs", a state path with a slash at its end)',
  )
  expect(new Set(manifestAdditions.map(({ what }) => what)).size).toBe(manifestAdditions.length)
})

test.each([
  ['0.1.0', true],
  ['0.1.9', true],
  ['0.2.0', false],
  ['0.2.0-rc.1', false],
  ['0.10.0', false],
  ['1.0.0+build', false],
  ['dev', false],
  [undefined, false],
])('a runtime %s is too old for 0.2.0: %s', (runtime, old) => {
  expect(isTooOld(runtime, { version: '0.2.0' })).toBe(old)
})

test.each([
  ['needs: [restic, {name: python3, min: 3.10}]', [{ name: 'restic' }, { name: 'python3', min: '3.10' }]],
  [
    'needs: [{name: go, min: "1.22", version_args: [version]}]',
    [{ name: 'go', min: '1.22', version_args: ['version'] }],
  ],
])('programs are listed by name, or with a minimum version: %s', (line, needs) => {
  const read = readManifest(`${head}${line}\n`, { for: 'report' })
  expect(read.ok ? read.value.needs : read.findings).toEqual(needs)
})

test.each([
  ['state: [state]', undefined],
  ['state: [state/printed.log]', 'must be in a folder that state names'],
  ['state: [data]', 'must be in a folder that state names'],
  ['state: [state]\nstatus: state/printed.log', 'a file of its own'],
])('the output goes to a file of its own that outlives versions: %s', (lines, says) => {
  const logs = 'logs: [{name: printed, path: state/printed.log, output: true}]'
  const read = readManifest(`${head}${logs}\n${lines}\n`, { for: 'report' })
  if (says === undefined) expect(read).toMatchObject({ ok: true, value: { logs: [{ name: 'printed', output: true }] } })
  else expect(read.ok ? [] : read.findings.map(({ message }) => message)).toEqual([expect.stringContaining(says)])
})

test.each([
  ['logs: [{name: a, path: d/a, output: true}, {name: b, path: d/b, output: true}]\nstate: [d]', 'Only one log'],
  ['logs: [{name: a, path: .svc/log/agent.log, output: true}]\nstate: [d]', 'must not be in .svc'],
  ['logs: [{name: a, path: d/a, output: yes}]\nstate: [d]', 'must be true or false'],
  ['needs: restic', 'must be a list'],
  ['needs: [/usr/bin/restic]', 'without a path'],
  ['needs: [../restic]', 'without a path'],
  ['needs: [-rf]', 'without a path'],
  ['needs: [{name: python3, min: ">=3.9"}]', 'must be a version such as'],
  ['needs: [{name: python3, max: "4"}]', 'no key "max"'],
  ['needs: [restic, {name: restic}]', 'a second time'],
  ['needs: [{min: "3"}]', 'must name "name"'],
])('%s is refused', (line, says) => {
  const read = readManifest(`${head}${line}\n`, { for: 'report' })
  expect(read.ok ? [] : read.findings.map(({ message }) => message).join('\n')).toContain(says)
})
