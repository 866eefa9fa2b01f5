/** Checks the workflows in .github, which nobody has run yet: their syntax, what they may do and what they call. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseDocument } from 'yaml'

const root = join(import.meta.dirname, '..')
const folder = join(root, '.github/workflows')
const { version, scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

interface Step {
  name?: string
  uses?: string
  run?: string
  with?: Record<string, unknown>
  env?: Record<string, string>
}
interface Workflow {
  on: Record<string, unknown>
  permissions: object
  jobs: Record<string, { permissions?: object; 'timeout-minutes'?: number; steps: Step[] }>
}
const read = (name: string) => {
  const text = readFileSync(join(folder, name), 'utf8')
  const document = parseDocument(text)
  const workflow = document.toJS() as Workflow
  return { text, document, workflow, steps: Object.values(workflow.jobs).flatMap((job) => job.steps) }
}

test('there are two workflows: one for each change, one for each tag of a version', () => {
  expect(readdirSync(folder).sort()).toEqual(['ci.yml', 'release.yml'])
  expect(Object.keys(read('ci.yml').workflow.on).sort()).toEqual(['pull_request', 'push'])
  expect(read('release.yml').workflow.on).toEqual({ push: { tags: ['v*'] } })
})

describe.each(['ci.yml', 'release.yml'])('%s', (name) => {
  const { text, document, workflow, steps } = read(name)
  const commands = steps.flatMap(({ run }) => run ?? [])

  test('is YAML without errors, and says that it is untried', () => {
    expect([document.errors, document.warnings]).toEqual([[], []])
    expect(text).toMatch(/^# Untried/)
    for (const job of Object.values(workflow.jobs)) expect(job['timeout-minutes']).toBeGreaterThan(0)
  })

  test('may only read, except where a release is drafted', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' })
    const more = Object.values(workflow.jobs).flatMap(({ permissions }) => permissions ?? [])
    expect(more).toEqual(name === 'release.yml' ? [{ contents: 'write' }] : [])
  })

  test('uses the actions of GitHub for the checkout and for Node, and leaves no token in the checkout', () => {
    const used = steps.flatMap((step) => step.uses ?? [])
    expect(used.map((action) => action.replace(/@v\d+$/, ''))).toEqual(['actions/checkout', 'actions/setup-node'])
    expect(steps[0]?.with).toEqual({ 'persist-credentials': false })
    expect(steps[1]?.with).toEqual({ 'node-version-file': '.nvmrc' })
  })

  test('passes values to commands as variables only, and its commands are ones of a shell', () => {
    for (const command of commands) {
      expect(command).not.toContain('${{')
      expect([command, spawnSync('bash', ['-n'], { input: command }).status]).toEqual([command, 0])
    }
    const values = steps.flatMap(({ env }) => Object.values(env ?? {}))
    expect(values.filter((value) => !/^\$\{\{ github\.token \}\}$/.test(value))).toEqual([])
  })

  test('runs all tests as everybody does, and scripts that exist', () => {
    expect(commands).toContain('.ci/run')
    const called = commands.flatMap((command) => [...command.matchAll(/npm run ([\w:]+)/g)].map(([, script]) => script))
    expect(called.filter((script) => !((script ?? '') in scripts))).toEqual([])
  })
})

test.each([
  [`v${version}`, 0],
  ['v0.0.1 || true', 1],
])('a release of the tag %s ends with %i before anything is built', (tag, code) => {
  const { steps } = read('release.yml')
  const run = steps.find(({ name }) => name?.startsWith('The tag'))?.run ?? ''
  const env = { PATH: process.env.PATH, GITHUB_REF_NAME: tag }
  expect(spawnSync('bash', ['-e', '-c', run], { cwd: root, env }).status).toBe(code)
})
