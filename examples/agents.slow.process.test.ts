/**
 * Tests what every example agent must do. Each example is started as a real process in a separate folder. `npm test`
 * leaves this out. It is about examples, which share no code with the product.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultValues, examineFolder } from '@svc/blueprint'
import { logNames, settingTypes } from '@svc/protocol'
import { afterAll, describe, expect, test } from 'vitest'
import { Example, manifestOf, type Settings } from './running.ts'

/**
 * Makes a git repository with two commits for the example git-reader. Reading the history of this checkout would take
 * longer with every commit.
 */
function repository(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-examples-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], { cwd: folder })
  git('init', '--quiet')
  for (const name of ['one', 'two']) {
    writeFileSync(join(folder, name), `${name}\n`)
    git('add', name)
    git('commit', '--quiet', '--no-gpg-sign', '--message', name)
  }
  return folder
}

const quick: Record<string, Settings> = {
  'machine-watch': { survey_seconds: 1 },
  'git-reader': { folder: repository() },
  'link-checker': { folder: join(import.meta.dirname, 'link-checker') },
}
const names = Object.keys(quick)
/** The agents without machine-watch, which reads the same files with the same `channel.py` as link-checker. */
const channels = names.filter((name) => name !== 'machine-watch')
const settingsOf = (name: string): Settings => quick[name] ?? {}
const ownRuns = /^(survey|check|check with web|reading)$/

describe.each(names)('%s', (name) => {
  test('is a blueprint in which "svc check" finds nothing, not even a hint', () => {
    const { findings, hints, manifest } = examineFolder(join(import.meta.dirname, name))
    expect({ findings, hints, name: manifest?.name }).toEqual({ findings: [], hints: [], name })
  })

  test('writes a status file in which nothing is unknown or dropped (2.11)', async () => {
    await using agent = new Example(name).start(settingsOf(name))
    const status = await agent.until((s) => s.runs?.some((run) => run.ended !== undefined) ?? false)
    expect(status.agent?.version).toBe(agent.manifest.version)
    expect(status.panels?.length).toBeGreaterThanOrEqual(2)
    expect(status.health?.length).toBeGreaterThanOrEqual(1)
    expect([...logNames(status)]).toEqual(agent.manifest.logs.map((log) => log.name))
    expect(agent.log()).toContain('started')
  })

  test('pauses while the pause file exists, and resumes when it is removed', async () => {
    await using agent = new Example(name).start(settingsOf(name))
    await agent.until((s) => s.runs?.some((run) => run.ended !== undefined) ?? false)
    agent.pause()
    await agent.until((s) => s.state?.label === 'Paused')
    agent.resume()
    await agent.until((s) => s.state?.label !== 'Paused')
  })

  test('run now makes a new run and removes its file; while the agent is paused the press waits', async () => {
    await using agent = new Example(name).start(settingsOf(name))
    const done = await agent.until((s) => s.runs?.some((run) => run.ended !== undefined) ?? false)
    const known = new Set(done.runs?.map((run) => run.id))
    agent.pause()
    await agent.until((s) => s.state?.label === 'Paused')
    agent.runNow()
    const next = agent.next()
    agent.set({ ...settingsOf(name), every: 77 }) // a paused agent writes its status when a setting changes
    expect((await next).state?.label).toBe('Paused')
    expect(agent.pressed()).toBe(true)
    agent.resume()
    const after = await agent.until(
      (s) => s.runs?.some((run) => !known.has(run.id) && run.ended !== undefined) ?? false,
    )
    expect(agent.pressed()).toBe(false)
    expect(after.runs?.find((run) => !known.has(run.id))?.kind).toMatch(ownRuns)
    expect(agent.log()).toContain('(run now)')
  })

  test('ends at once on SIGTERM, and logs it', async () => {
    await using agent = new Example(name).start(settingsOf(name))
    await agent.until((s) => s.runs?.some((run) => run.ended !== undefined) ?? false)
    const { code } = await agent.stop()
    expect(code).toBe(0)
    expect(agent.status().state?.label).toBe('Stopped')
  })

  test('a run that a kill left unfinished is reported as interrupted after the next start', async () => {
    await using agent = new Example(name)
    mkdirSync(agent.path('state'))
    const runs = [{ id: 'left', kind: 'reading', status: 'running', started: 1 }]
    writeFileSync(agent.path('state/status.json'), JSON.stringify({ state: { level: 'ok' }, runs }))
    agent.start(settingsOf(name))
    const status = await agent.until((s) => s.runs?.some((run) => run.id !== 'left') ?? false)
    const left = status.runs?.find((run) => run.id === 'left')
    expect(left).toMatchObject({ status: 'interrupted', started: 1 })
    expect(left?.ended).toBeGreaterThan(1)
  })
})

describe.each(channels)('the files of %s', (name) => {
  test('settings of the wrong type or out of bounds, or a file that is not JSON, do not stop it', async () => {
    await using agent = new Example(name).start({ ...settingsOf(name), every: -1, order: 'sideways', kinds: 7 })
    const done = await agent.until((s) => s.runs?.some((run) => run.ended !== undefined) ?? false)
    expect(done.state?.level).not.toBe('bad')
    writeFileSync(agent.path('.svc/settings.json'), '{"every":')
    await agent.until(() => agent.log().includes('settings are not readable'))
    agent.runNow()
    await agent.until((s) => s.runs?.[0]?.id !== done.runs?.[0]?.id && s.runs?.[0]?.ended !== undefined)
  })

  test('obeys the files that the environment names, as under `svc run` (2.12)', async () => {
    await using home = new Example(name)
    mkdirSync(home.path('elsewhere'))
    const at = (file: string) => home.path(`elsewhere/${file}`)
    await using agent = new Example(name, {
      SVC_AGENT_DIR: home.folder,
      SVC_STATE_DIR: home.path('state'),
      SVC_PAUSE_FILE: at('paused'),
      SVC_RUN_NOW_FILE: at('run_now'),
      SVC_SETTINGS_FILE: at('settings.json'),
    })
    writeFileSync(at('settings.json'), JSON.stringify(settingsOf(name)))
    writeFileSync(at('paused'), '')
    agent.start({})
    await home.until((s) => s.state?.label === 'Paused')
  })

  test('ends with an error, not silently, in a folder it may not write to', async () => {
    await using agent = new Example(name, { SVC_STATE_DIR: '/dev/null/state' }).start(settingsOf(name))
    await expect(agent.until(() => true)).rejects.toThrow('it ended')
  })
})

test('the examples use every type of setting, so that the page shows every kind of field', () => {
  const kinds = names.flatMap((name) => manifestOf(name).settings.map((setting) => setting.type))
  expect([...new Set(kinds)].sort()).toEqual([...settingTypes].sort())
})

test.each(['machine-watch', 'link-checker'])('%s has the defaults and bounds of its manifest', (name) => {
  const print = 'import json, main; print(json.dumps(main.SETTINGS))'
  const cwd = join(import.meta.dirname, name)
  const table = JSON.parse(execFileSync('python3', ['-B', '-c', print], { cwd, encoding: 'utf8' }))
  const { settings } = manifestOf(name)
  const usual = defaultValues({ settings })
  for (const { key, type, min, max, options } of settings) {
    const [value, ...limits] = table[key]
    expect([key, value]).toEqual([key, usual[key] ?? ''])
    if (type === 'select') expect(limits).toEqual([options?.map((o) => o.value)])
    else expect(limits).toEqual([min, max].filter((n) => n !== undefined))
  }
  expect(Object.keys(table).sort()).toEqual(settings.map((s) => s.key).sort())
})

test('both Python agents have the same channel.py', () => {
  const of = (name: string) => readFileSync(join(import.meta.dirname, name, 'channel.py'), 'utf8')
  expect(of('link-checker')).toBe(of('machine-watch'))
})
