/** Tests the systemd unit: what it forbids the service, and that Node can still run under it. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const unit = readFileSync(new URL('svc.service', import.meta.url), 'utf8')
const operate = readFileSync(new URL('../operate.md', import.meta.url), 'utf8')
const analyze = '/usr/bin/systemd-analyze'
const version = existsSync(analyze)
  ? Number(/\d+/.exec(execFileSync(analyze, ['--version'], { encoding: 'utf8' }))?.[0])
  : 0

test.each([
  'LimitCORE=0',
  'CapabilityBoundingSet=',
  'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX',
  'RestrictNamespaces=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'LockPersonality=yes',
  'SystemCallFilter=@system-service',
  'ProtectKernelTunables=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelLogs=yes',
  'ProtectControlGroups=yes',
  'ProtectClock=yes',
  'ProtectProc=invisible',
  'UMask=0077',
])('the unit says %s', (line) => expect(unit.split('\n')).toContain(line))

test('the unit bounds the memory by a figure that operate.md explains', () => {
  const figure = /^MemoryMax=(.+)$/m.exec(unit)?.[1]
  expect(operate).toContain(`\`MemoryMax=${figure}\``)
})

test('the unit lets Node make memory executable, which its compiler needs', () => {
  expect(unit).not.toMatch(/^MemoryDenyWriteExecute=/m)
})

// `systemd-analyze security --offline` exists from version 250 on.
test.skipIf(version < 250)('systemd accepts the unit and finds little exposed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-unit-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'svc.service')
  // systemd must accept the unit even if the service is not installed here, so the start command is replaced.
  writeFileSync(file, unit.replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true'))
  const verified = spawnSync(analyze, ['verify', file], { encoding: 'utf8' })
  expect([verified.status, verified.stderr]).toEqual([0, ''])
  // systemd prints an exposure level of 1.7 for the unit. The threshold is given in tenths: 20 permits a level of 2.0.
  const judged = spawnSync(analyze, ['security', '--offline=true', '--threshold=20', file], { encoding: 'utf8' })
  expect([judged.status, judged.stdout.split('\n').at(-2)]).toEqual([0, expect.stringContaining('exposure level')])
})
