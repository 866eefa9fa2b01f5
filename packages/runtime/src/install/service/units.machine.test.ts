/** Tests agents as units of a real systemd: of a user, of the system, and of the system under another user. */
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { agentOn, installSvc, type MachineAgent, shortenTime } from '../../../../../testing/machines/agents.ts'
import { boot, canBoot, type Machine } from '../../../../../testing/machines/machine.ts'
import { type MachineService, machineService } from '../../../../../testing/machines/service.ts'

const kinds = [
  {
    kind: 'a unit of a user',
    user: 'ada',
    manager: 'systemctl --user',
    install: 'service install --start',
    release: '1.1.0',
  },
  {
    kind: 'a unit of the system',
    user: 'root',
    manager: 'systemctl',
    install: 'service install --system --start',
    release: '1.2.0',
  },
  {
    kind: 'a unit of the system under a user',
    user: 'bo',
    manager: 'systemctl',
    install: 'service install --system --user bo --start',
    release: '1.3.0',
  },
]

describe.skipIf(!canBoot())('on a booted machine', () => {
  let machine: Machine
  let service: MachineService
  beforeAll(async () => {
    service = await machineService()
    machine = await boot({ name: 'units' })
    await shortenTime(machine)
    await machine.addUser('ada', { lingers: true })
    await machine.addUser('bo')
  })

  describe.each(kinds)('$kind', ({ user, manager, install, release }) => {
    let agent: MachineAgent
    const unit = `svc-${user}-works.service`
    /** The user whose service manager has the unit. */
    const owner = manager === 'systemctl' ? 'root' : user
    const control = (command: string) => machine.output(`${manager} ${command} ${unit}`, { user: owner })
    const started = async (count: number) =>
      await eventually(
        `start ${count} of the agent`,
        async () => {
          const starts = await agent.starts()
          expect(starts).toHaveLength(count)
          return starts[count - 1] as (typeof starts)[number]
        },
        { seconds: 60, everyMs: 300 },
      )
    const working = () =>
      agent.shown('it works', ({ stopped, report }) =>
        expect([stopped, report?.state]).toEqual([null, expect.objectContaining({ level: 'ok', label: 'Working' })]),
      )
    beforeAll(async () => {
      await installSvc(machine, service, user)
      agent = agentOn(machine, service, user, `${user}-works`)
    })

    test('an agent is installed with a code and becomes a unit that runs it', async () => {
      const program = user === 'root' ? 'svc' : '.local/bin/svc'
      const code = `${await service.code(agent.name)}\n`
      const init = `${program} init --url ${service.url}${user === 'bo' ? '' : ' --service'}`
      expect(await machine.run(init, { user, input: code })).toMatchObject({ code: 0 })
      if (user === 'bo')
        expect(await machine.run(`svc ${install} --dir ${agent.folder}`, { user: 'root' })).toMatchObject({ code: 0 })
      const { pid } = await started(1)
      expect(await machine.output(`ps -o user= -p ${pid}`)).toBe(user)
      expect([await control('is-active'), await control('is-enabled')]).toEqual(['active', 'enabled'])
      await working()
      expect(await agent.says('service status')).toContain(': active')
      expect(await agent.svc('doctor')).toMatchObject({ code: 0 })
    })

    test('without its unit it is stopped, and the command that installs a unit starts it', async () => {
      await machine.output(`svc service uninstall --dir ${agent.folder}`, { user: owner })
      expect((await machine.run(`${manager} cat ${unit}`, { user: owner })).code).not.toBe(0)
      await agent.shown('it is stopped', ({ stopped }) => expect(stopped).not.toBeNull())
      expect([await agent.processes(), await agent.runtime()]).toEqual([[], undefined])
      const before = (await agent.starts()).length
      await machine.output(`svc ${install} --dir ${agent.folder}`, { user: owner })
      const { pid } = await started(before + 1)
      expect(await machine.output(`ps -o user= -p ${pid}`)).toBe(user)
      expect([await control('is-active'), await control('is-enabled')]).toEqual(['active', 'enabled'])
      await working()
    })

    test('it starts with the machine, once, whether the machine was shut down or its power was cut', async () => {
      for (const end of ['reboot', 'cutPower'] as const) {
        const before = (await agent.starts()).length
        await machine[end]()
        const { pid } = await started(before + 1)
        await working()
        expect(await agent.processes()).toHaveLength(2)
        expect(await agent.processes()).toContain(pid)
      }
    })

    test('svc stop and systemctl stop end everything, and the page says the same after both', async () => {
      const ways = [() => machine.output(`svc stop --dir ${agent.folder}`, { user: owner }), () => control('stop')]
      const seen = []
      for (const stop of ways) {
        await stop()
        expect([await agent.processes(), await agent.runtime()]).toEqual([[], undefined])
        const { report } = await agent.shown('it is stopped', ({ stopped }) => expect(stopped).not.toBeNull())
        seen.push([report?.state?.level, report?.state?.label, report?.health])
        const before = (await agent.starts()).length
        await control('start')
        await started(before + 1)
        await working()
      }
      const detail = 'Ended because svc was stopped on this machine.'
      expect(seen[0]).toEqual(['info', 'Not running', [{ name: 'Process', level: 'info', detail }]])
      expect(seen[1]).toEqual(seen[0])
    })

    test('a runtime that is killed is started again, and takes over the agent, which has not noticed', async () => {
      const [before, starts] = [await agent.runtime(), await agent.starts()]
      await machine.output(`kill -9 ${before}`)
      const after = await eventually(
        'another runtime',
        async () => {
          const runtime = await agent.runtime()
          expect(runtime).not.toBeOneOf([before, undefined])
          return runtime
        },
        { everyMs: 200 },
      )
      await agent.shown('it was taken over', ({ report }) =>
        expect(report?.health?.[0]?.detail).toContain('taken over from an earlier runtime'),
      )
      expect(await agent.starts()).toEqual(starts)
      expect(await agent.processes()).toHaveLength(2)
      expect(await agent.runtime()).toBe(after)
    })

    test('an agent that takes too much memory is killed and started again, and its runtime stays', async () => {
      const [before, runtime] = [(await agent.starts()).length, await agent.runtime()]
      await machine.limitMemory([runtime ?? 0, ...(await agent.processes())], 300)
      await machine.output(`touch ${agent.folder}/state/eat`)
      await started(before + 1)
      await working()
      expect(await agent.runtime()).toBe(runtime)
      expect(await agent.processes()).toHaveLength(2)
    })

    test('a good update is kept until a person goes back, and a bad one goes back by itself', async () => {
      const [runtime, before] = [await agent.runtime(), (await agent.starts()).length]
      const wish = (version: string) => service.home.value(['wish', 'blueprint', `north/${agent.name}`, version])
      const runs = async (version: string, outcome: string, says: string) =>
        await agent.shown(`it runs ${version}`, (shown) =>
          expect([shown.version, shown.report?.applied]).toEqual([
            version,
            expect.objectContaining({ outcome, message: expect.stringContaining(says) }),
          ]),
        )
      await wish('1.1.0')
      await runs('1.1.0', 'ok', '1.1.0')
      await agent.says('rollback')
      await runs('1.0.0', 'rolled_back', '1.1.0 -> 1.0.0')
      await wish('1.2.0')
      await runs('1.0.0', 'rolled_back', '1.2.0')
      const versions = (await agent.starts()).slice(before).map(({ version }) => version)
      expect(versions).toEqual(['1.1.0', '1.0.0', '1.2.0', '1.0.0'])
      expect([await agent.runtime(), (await agent.processes()).length]).toEqual([runtime, 2])
    })

    test('a signed release of the runtime replaces it under the unit, and the agent runs on', async () => {
      const starts = await agent.starts()
      const before = (await service.show(agent.name)).report?.runtime?.version
      await service.home.value(['release', 'add', service.release(release)])
      await service.home.value(['wish', 'runtime', `north/${agent.name}`])
      const updated = { version: release, applied: { outcome: 'ok' } }
      await agent.shown('the new runtime', ({ report }) => expect(report?.runtime).toMatchObject(updated))
      expect(await control('is-active')).toBe('active')
      await agent.says('rollback-runtime')
      await agent.shown('the old runtime', ({ report }) => expect(report?.runtime?.version).toBe(before))
      expect(await agent.starts()).toEqual(starts)
      expect(await agent.processes()).toHaveLength(2)
    })

    test('svc remove leaves neither processes nor a unit', async () => {
      await machine.output(`svc remove --yes --dir ${agent.folder}`, { user: owner })
      expect([await agent.processes(), await agent.runtime()]).toEqual([[], undefined])
      expect(await machine.run(`${manager} cat ${unit}`, { user: owner })).toMatchObject({ code: 1 })
      expect((await machine.run(`ls ${agent.folder}`)).code).not.toBe(0)
    })
  })

  test('without lingering a unit ends at the logout and starts at the login; with it, it stays', async () => {
    await machine.addUser('cy')
    await installSvc(machine, service, 'cy')
    const agent = agentOn(machine, service, 'cy', 'cy-works')
    const stopped = (by: 'signal' | null) =>
      agent.shown(`stopped: ${by}`, (shown) => expect([shown.stopped, shown.report === null]).toEqual([by, false]))
    const login = () => machine.run('sleep 4321', { user: 'cy', seconds: 600 })
    const logOut = async (session: Promise<unknown>) => {
      await machine.output('pkill -x -f "sleep 4321"')
      await session
    }

    const first = login()
    const input = `${await service.code(agent.name)}\n`
    const installed = await machine.output(`.local/bin/svc init --url ${service.url} --service`, { user: 'cy', input })
    expect(installed).toContain(
      'It stops when you log out. To let it run from boot: loginctl enable-linger cy (with sudo if it is refused)',
    )
    await stopped(null)
    await logOut(first)
    await stopped('signal')
    expect([await agent.processes(), await agent.runtime()]).toEqual([[], undefined])

    const second = login()
    await stopped(null)
    await machine.output('loginctl enable-linger cy')
    const starts = await agent.starts()
    expect(starts).toHaveLength(2)
    await logOut(second)
    await eventually(
      'the login is over',
      async () => expect(await machine.output('loginctl list-sessions --no-legend')).not.toContain('cy'),
      { everyMs: 500 },
    )
    // A manager that has nothing to do ends ten seconds after the last logout.
    await sleep(12_000)
    await stopped(null)
    expect(await agent.starts()).toEqual(starts)
  })
})
