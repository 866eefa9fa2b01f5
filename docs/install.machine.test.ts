/**
 * Tests install.md on a machine that has only the files of a release: its lines are run as they are, from the package
 * to a service at boot. Then come the first account, an agent by the lines of start.md, a job by those of jobs.md, a
 * reboot, and an upgrade.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { atFileEnd } from '../testing/cleaning.ts'
import { eventually } from '../testing/eventually.ts'
import { freePort } from '../testing/free-port.ts'
import { boot, canBoot, type Machine } from '../testing/machines/machine.ts'
import { makeRelease } from '../testing/machines/releases.ts'

const root = join(import.meta.dirname, '..')
const document = (name: string) => readFileSync(join(root, `docs/${name}.md`), 'utf8')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const newer = '9.1.0'
const withCron = 'RUN apt-get update && apt-get install -y --no-install-recommends cron && rm -rf /var/lib/apt/lists/*'

/** The lines to type that a section of a document shows. */
function linesOf(name: string, section: string): string[] {
  const [, part = ''] = new RegExp(`^## ${section}$([\\s\\S]*?)(?=^## )`, 'm').exec(document(name)) ?? []
  return [...part.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].map(([, lines = '']) => lines)
}
/** Lines of a document with these parts replaced, each of which they must have. */
function filled(lines: string, parts: readonly (readonly [RegExp | string, string])[]): string {
  let text = lines
  for (const [part, value] of parts) {
    const next = text.replaceAll(part, value)
    expect(next).not.toBe(text)
    text = next
  }
  return text
}

describe.skipIf(!canBoot())('a machine with only the files of a release', () => {
  let machine: Machine
  let url: string
  const patience = { seconds: 120, everyMs: 1000 }
  /** A command of the operator, in the folder with the settings of the unit. */
  const operator = (command: string) => machine.output(`cd /opt/svc && svc-server ${command}`)
  const copyRelease = async (of: string) => {
    const out = mkdtempSync(join(tmpdir(), 'svc-install-'))
    atFileEnd.push(async () => rmSync(out, { recursive: true, force: true }))
    makeRelease({ version: of, out, keys: join(out, 'keys'), service: true })
    await machine.copyIn(out, `/root/${of}`)
  }
  /** Runs lines in a login of ada, whose service manager answers. */
  const ada = (lines: string) => machine.output(`export XDG_RUNTIME_DIR=/run/user/$(id -u)\n${lines}`, { user: 'ada' })
  const newToken = async (name: string) =>
    (JSON.parse(await operator(`agent create home/${name} --json`)) as { token: string }).token
  const asPasted = (lines: string, token: string) =>
    filled(lines, [
      ['https://svc.example.com', url],
      ['svc_agt_…', token],
    ])
  let began: number
  beforeAll(async () => {
    machine = await boot({ name: 'install', extra: withCron })
    await machine.addUser('ada', { lingers: true })
    await copyRelease(version)
  }, 900_000)

  test('installs the package, and serves at boot', async () => {
    began = performance.now()
    const [, install = ''] = linesOf('install', 'Package')
    const typed = filled(install, [[/^svc-server start.*$/gm, '']])
    expect(await machine.output(`cd /root/${version} && set -e\n${typed}`)).toContain('svc.pyz: OK')

    const [unit = ''] = linesOf('install', 'Unit')
    const [port, ops] = [await freePort(), await freePort()]
    url = `http://localhost:${port}`
    const settings = `SVC_BASE_URL=${url} SVC_PORT=${port} SVC_METRICS_PORT=${ops}`
    // The machine shares the ports of this one, so the usual port may be in use.
    await machine.output(`set -e\n${filled(unit, [['SVC_BASE_URL=http://localhost:8787', settings]])}`)
    await eventually(
      'the log has the link for the first account',
      async () => expect(await machine.output('journalctl -u svc -o cat')).toContain(`${url}/start?token=`),
      patience,
    )
  })

  test('has its first account by the link of the log', async () => {
    const token = /\/start\?token=(\S+)/.exec(await machine.output('journalctl -u svc -o cat'))?.[1]
    const person = { name: 'Ada', email: 'ada@example.org', password: 'correct horse battery' }
    const made = await fetch(`${url}/api/web/start`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify({ token, ...person, workspace: 'Home', slug: 'home' }),
    })
    expect([made.status, await made.text()]).toEqual([200, expect.stringContaining('home')])
  })

  test('has an agent, by the lines of start.md', async () => {
    const [connect = '', keep = ''] = linesOf('start', 'Connect a program that already runs')
    await ada('mkdir my-agent && echo "import time; time.sleep(1e9)" >my-agent/main.py')
    await ada(`set -e\ncd my-agent\n${asPasted(connect, await newToken('my-agent'))}\n${keep}`)
    await eventually(
      'the page has its process',
      async () => expect(await operator('agent show home/my-agent')).toMatch(/ok Process/),
      patience,
    )
  })

  test('has jobs, by the lines of jobs.md', async () => {
    await ada("echo '* * * * * date >>$HOME/dates' | crontab -")
    const [adopt = '', then = ''] = linesOf('jobs', 'From a crontab line to a message')
    const token = await newToken('vela-ada')
    // The last line asks at a terminal.
    const answered = filled(adopt, [[/(python3 svc\.pyz adopt) +#.*$/gm, '$1 --yes --crontab']])
    await ada(`set -e\n${asPasted(answered, token)}`)
    const said = await ada(filled(then, [[/^sleep 180.*$/gm, '']]))
    expect(said).toMatch(/date[\s\S]*trial[\s\S]*failed \(exit 1\)/)
    await eventually(
      'the page has a run of the job',
      async () => expect(await operator('agent show home/vela-ada')).toMatch(/ok Job date ok/),
      patience,
    )
  })

  test('serves and reports again after a reboot', async () => {
    await machine.reboot()
    const booted = Date.now()
    await eventually(
      'both agents have reported since the reboot',
      async () => {
        for (const name of ['my-agent', 'vela-ada']) {
          const shown = JSON.parse(await operator(`agent show home/${name} --json`)) as { seenAt: number }
          expect(shown.seenAt).toBeGreaterThan(booted)
        }
      },
      patience,
    )
  })

  test('is upgraded by the line that install.md shows, with its data', async () => {
    await copyRelease(newer)
    const [, line = ''] = /^- \*\*To update it\*\*: `(npm install [^`]*)`/m.exec(document('install')) ?? []
    await machine.output(`cd /root/${newer} && ${filled(line, [['VERSION', newer]])}`)
    await eventually(
      'the newer service serves its own runtime',
      async () => expect(await machine.output('journalctl -u svc -o cat')).toContain(`"release":"${newer}"`),
      patience,
    )
    expect(await operator('--version')).toBe(newer)
    expect(await operator('agent list home')).toMatch(/my-agent[\s\S]*vela-ada/)
    expect(await machine.output('systemctl is-active svc')).toBe('active')
    const minutes = (performance.now() - began) / 60_000
    process.stderr.write(`from the package to the upgrade: ${minutes.toFixed(1)} minutes, without typing\n`)
  })
})
