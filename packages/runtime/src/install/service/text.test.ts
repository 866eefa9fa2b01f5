import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  folderOf,
  launchdPlist,
  replaceStartCommand,
  startsRuntimeDirectly,
  startWordsOf,
  systemdUnit,
  unitPathOf,
} from './text.ts'

const facts = {
  agent: 'mail-triage',
  name: 'svc-mail-triage.service',
  root: '/srv/mail-triage',
  launch: ['/usr/bin/node', '-e', 'require(process.argv[1])', '/srv/mail-triage/.svc/runtime/svc.pyz'],
  stopSeconds: 10,
  path: '/usr/bin:/bin',
}

test('a unit ends only the runtime, never the agent, and gives it time to end', () => {
  const unit = systemdUnit(facts)
  expect(unit).toContain('\nKillMode=process\n')
  expect(unit).toContain('\nTimeoutStopSec=30\n')
  expect(unit).toContain('\nOOMPolicy=continue\n')
  expect(unit).toContain('\nWantedBy=default.target\n')
  expect(unit).toContain(
    '\nExecStart="/usr/bin/node" "-e" "require(process.argv[1])" "/srv/mail-triage/.svc/runtime/svc.pyz" "run" "--dir" "/srv/mail-triage"\n',
  )
  expect(unit).not.toContain('User=')
  expect(folderOf(unit)).toBe('/srv/mail-triage')
})

test('a unit of the system runs under a user and starts at boot', () => {
  const unit = systemdUnit({ ...facts, user: 'agents' })
  expect(unit).toContain('\nUser=agents\n')
  expect(unit).toContain('\nWantedBy=multi-user.target\n')
})

test('characters that systemd would replace are escaped', () => {
  const unit = systemdUnit({ ...facts, root: '/srv/50% "off" $HOME' })
  expect(unit).toContain('"--dir" "/srv/50%% \\"off\\" $$HOME"')
  expect(unit).toContain('\nWorkingDirectory=/srv/50%% "off" $HOME\n')
})

const systemd = spawnSync('systemd-analyze', ['--version']).status === 0
test.runIf(systemd)('systemd itself finds nothing wrong with a unit', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc unit ')))
  const root = join(folder, '50% "off" $HOME')
  mkdirSync(root)
  const file = join(folder, 'svc-mail-triage.service')
  try {
    for (const user of [undefined, 'root']) {
      writeFileSync(
        file,
        systemdUnit({
          ...facts,
          root,
          launch: [process.execPath, '-e', 'require(process.argv[1])', 'x'],
          ...(user && { user }),
        }),
      )
      const said = execFileSync('systemd-analyze', ['verify', '--man=no', file], {
        stdio: ['ignore', 'pipe', 'pipe'],
      }).toString()
      expect(said.split('\n').filter((line) => line.includes('svc-mail-triage'))).toEqual([])
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a property list of launchd leaves the agent alone and is well-formed', () => {
  const list = launchdPlist({ ...facts, root: '/Users/a & b/<mail>' })
  expect(list).toContain('<key>AbandonProcessGroup</key><true/>')
  expect(list).toContain('<string>/Users/a &#38; b/&#60;mail&#62;</string>')
  expect(list).not.toContain('<mail>')
})

test.each([
  ['systemd', systemdUnit],
  ['launchd', launchdPlist],
] as const)(
  '%s: a unit that loads the runtime itself is distinguished from one that starts its starter, or Python',
  (_kind, write) => {
    const root = '/srv/50% "off" <$HOME>'
    const at = (name: string) => `${root}/.svc/runtime/${name}`
    const starts = (...launch: string[]) => startsRuntimeDirectly(write({ ...facts, root, launch }), at('svc.pyz'))
    expect(starts('/usr/bin/node', '-e', 'require(process.argv[1])', at('svc.pyz'))).toBe(true)
    expect(starts('/usr/bin/node', at('start.cjs'))).toBe(false)
    expect(starts('/usr/bin/node', '-e', 'require(process.argv[1])', '/opt/svc.pyz'), 'that one is not replaced').toBe(
      false,
    )
    expect(starts('/usr/bin/python3', at('svc.pyz')), 'it takes the starter').toBe(false)
  },
)

test.each([
  ['systemd', systemdUnit],
  ['launchd', launchdPlist],
] as const)('%s: the program and PATH of a unit are read as they were written, and can be replaced', (_kind, write) => {
  const root = '/srv/50% "off" <$HOME> \\ &'
  const other = {
    ...facts,
    root,
    launch: ['/opt/my "node" $1/bin/node', `${root}/.svc/runtime/start.cjs`],
    path: `${root}/bin:/bin`,
  }
  const unit = write(other)
  expect(startWordsOf(unit)).toEqual([...other.launch, 'run', '--dir', root])
  expect(unitPathOf(unit)).toBe(other.path)
  const old = write({ ...other, launch: ['/gone/node', '-e', 'x', 'y'], path: '/gone' })
  expect(replaceStartCommand(old, root, other.launch, other.path)).toBe(unit)
  expect(replaceStartCommand(unit, root, other.launch, undefined)).toBe(unit)
  expect(startWordsOf('[Service]\n')).toEqual([])
})
