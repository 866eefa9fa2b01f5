/**
 * Tests install.md on a machine that has only the files of a release: its lines are run as they are, from the package
 * to a service at boot. Then come the first agent with a job, a reboot, and an upgrade.
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
const text = readFileSync(join(root, 'docs/install.md'), 'utf8')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const newer = '9.1.0'
const withCron = 'RUN apt-get update && apt-get install -y --no-install-recommends cron && rm -rf /var/lib/apt/lists/*'

/** The lines to type that a section of install.md shows. */
function linesOf(section: string): string[] {
  const [, part = ''] = new RegExp(`^## ${section}$([\\s\\S]*?)(?=^## )`, 'm').exec(text) ?? []
  return [...part.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, lines = '']) => lines)
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
  beforeAll(async () => {
    machine = await boot({ name: 'install', extra: withCron })
    await machine.addUser('ada', { lingers: true })
    await copyRelease(version)
  }, 900_000)

  test('installs the package, and serves at boot', async () => {
    const [, install = ''] = linesOf('Package')
    const typed = install.replace(/^svc-server start.*$/m, '')
    expect(typed).not.toBe(install)
    expect(await machine.output(`cd /root/${version} && set -e\n${typed}`)).toContain('svc.pyz: OK')

    const [unit = ''] = linesOf('Unit')
    const [port, ops] = [await freePort(), await freePort()]
    url = `http://localhost:${port}`
    const settings = `SVC_BASE_URL=${url} SVC_PORT=${port} SVC_METRICS_PORT=${ops}`
    // The machine shares the ports of this one, so the usual port may be in use.
    await machine.output(`set -e\n${unit.replace('SVC_BASE_URL=http://localhost:8787', settings)}`)
    await eventually(
      'the log has the link for the first account',
      async () => expect(await machine.output('journalctl -u svc -o cat')).toContain(`${url}/start?token=`),
      patience,
    )
  })

  test('has an agent with a job', async () => {
    await operator('workspace create home')
    await operator('workspace activate home svc')
    const { token } = JSON.parse(await operator('agent create home/vela-ada --json')) as { token: string }
    await machine.write('/home/ada/token', token)
    const lines = `curl -fsSO ${url}/cli/svc.pyz
      python3 svc.pyz self install
      export PATH="$HOME/.local/bin:$PATH" XDG_RUNTIME_DIR=/run/user/$(id -u)
      echo '* * * * * date >>$HOME/dates' | crontab -
      svc adopt --yes --crontab --url ${url} --name vela-ada --token-file ~/token`
    await machine.output(`set -e\n${lines}`, { user: 'ada' })
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
      'the agent has reported since the reboot',
      async () => {
        const shown = JSON.parse(await operator('agent show home/vela-ada --json')) as { seenAt: number }
        expect(shown.seenAt).toBeGreaterThan(booted)
      },
      patience,
    )
  })

  test('is upgraded by the line that install.md shows, with its data', async () => {
    await copyRelease(newer)
    const [, line = ''] = /^- \*\*To update it\*\*: `(npm install [^`]*)`/m.exec(text) ?? []
    await machine.output(`cd /root/${newer} && ${line.replace('VERSION', newer)}`)
    await eventually(
      'the newer service serves its own runtime',
      async () => expect(await machine.output('journalctl -u svc -o cat')).toContain(`"release":"${newer}"`),
      patience,
    )
    expect(await operator('--version')).toBe(newer)
    expect(await operator('agent list home')).toContain('vela-ada')
    expect(await machine.output('systemctl is-active svc')).toBe('active')
  })
})
