/**
 * Simulated agents of one blueprint, for the tests. They use the real routes for agents: real install codes install
 * them, and the service's real answers tell them which version to run.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { programs } from '../../../../../testing/program.ts'
import type { BrowserSetup } from '../../../testing/browser-setup.ts'

const program = programs.svc
export const blueprint = 'mail-triage'

export interface RequestedVersions {
  desired?: { blueprint: string; version: string }
  runtime_desired?: string
}

export class SimulatedAgent {
  readonly name: string
  readonly token: string
  readonly #place: BrowserSetup
  running: string
  parts: Record<string, unknown> = {}

  constructor(setup: BrowserSetup, name: string, token: string, running: string) {
    this.#place = setup
    this.name = name
    this.token = token
    this.running = running
  }

  /** Sends a report, and returns the versions that the service's answer asks the agent to run. */
  report(parts: Record<string, unknown> = {}): Promise<RequestedVersions> {
    this.parts = { ...this.parts, ...parts }
    const said = {
      agent: { version: this.running },
      applied: { version: this.running, outcome: 'ok', message: 'installed' },
      state: { level: 'ok', label: 'Working' },
      ...this.parts,
    }
    return this.#place.report(this.token, said) as Promise<RequestedVersions>
  }

  /** Fetches the bundle of a version, as the machine of an agent does for an update. */
  async fetch(version: string): Promise<void> {
    const answer = await fetch(`${this.#place.url}/api/agent/v1/bundle/${version}`, {
      headers: { authorization: `Bearer ${this.token}` },
    })
    if (!answer.ok) throw new Error(`The bundle was answered ${answer.status}: ${await answer.text()}`)
    await answer.arrayBuffer()
  }

  /** Fetches this version, and reports that the agent now runs and keeps it. */
  async keeps(version: string): Promise<void> {
    await this.fetch(version)
    const before = this.running
    this.running = version
    await this.report({ applied: { version, outcome: 'ok', message: `${before} -> ${version}` } })
  }

  /** Fetches this version, and reports that the agent rolled back from it for the reason `why`. */
  async rollsBack(version: string, why: string): Promise<void> {
    await this.fetch(version)
    await this.report({
      applied: { version: this.running, outcome: 'rolled_back', message: `${version} -> ${this.running}: ${why}` },
    })
  }
}

/** Uploads these versions of the blueprint, each packed by `svc pack`. `more` are further lines of the manifest. */
export async function uploadVersions(setup: BrowserSetup, versions: readonly string[], more = ''): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-versions-'))
  try {
    for (const version of versions) {
      const dir = join(folder, version)
      mkdirSync(dir)
      writeFileSync(join(dir, 'main.py'), 'import time\nwhile True:\n    time.sleep(60)\n')
      writeFileSync(
        join(dir, 'svc.agent.yaml'),
        `name: ${blueprint}\nversion: ${version}\ndescription: Sorts incoming mail.\nruntime: {kind: process, command: [python3, -u, main.py]}\nlogs: [{name: work, path: state/work.log}]\nstate: [state]\n${more}`,
      )
      execFileSync(process.execPath, [program, 'pack', dir, '--out', `${dir}.zip`], { stdio: 'ignore' })
      await setup.operator(['blueprint', 'upload', 'north-wind', `${dir}.zip`])
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Installs a simulated agent with a code and lets it report once. */
export async function install(setup: BrowserSetup, name: string, version: string): Promise<SimulatedAgent> {
  const { code } = await setup.operator<{ code: string }>([
    ...['code', 'issue', 'north-wind', `${blueprint}@${version}`, '--agent', name],
  ])
  const answer = await fetch(`${setup.url}/api/agent/v1/install`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  })
  const { env } = (await answer.json()) as { env: { SVC_TOKEN: string } }
  const agent = new SimulatedAgent(setup, name, env.SVC_TOKEN, version)
  await agent.report()
  return agent
}
