/** Tests an agent on a small machine: little memory, half a core, no Python, and a root that cannot be written. */
import { expect, test } from 'vitest'
import { agentOn } from '../../../../testing/machines/agents.ts'
import { boot, canBoot } from '../../../../testing/machines/machine.ts'
import { machineService } from '../../../../testing/machines/service.ts'

test.skipIf(!canBoot())(
  'with 256 MB, half a core, no Python and a root that cannot be written, an agent is installed and works',
  async () => {
    const service = await machineService()
    const options = ['--memory', '256m', '--cpus', '0.5', '--tmpfs', '/home:exec']
    const machine = await boot({ name: 'small', options })
    const eats = 'const all = []; for (let i = 0; i < 200; i++) all.push(Buffer.alloc(5e6, 1))'
    expect((await machine.run(`node -e '${eats}'`)).code).toBe(137)
    const spins = 'const end = Date.now() + 3000; while (Date.now() < end); console.log(process.cpuUsage().user / 3e6)'
    expect(Number(await machine.output(`node -e '${spins}'`))).toBeLessThan(0.75)
    await machine.addUser('ada', { lingers: true })
    await machine.output('rm -f /usr/bin/python3*')
    await machine.output('mount -o remount,ro /')
    expect((await machine.run('touch /srv/x')).err).toContain('Read-only file system')
    const user = 'ada'
    await machine.output(`curl -fsSO ${service.url}/cli/svc.pyz && chmod +x svc.pyz && ./svc.pyz self install`, {
      user,
    })
    const agent = agentOn(machine, service, user, 'small')
    const input = `${await service.code(agent.name)}\n`
    await machine.output(`.local/bin/svc init --url ${service.url} --service`, { user, input })
    await agent.shown('it works', ({ stopped, report }) =>
      expect([stopped, report?.state?.level, report?.state?.label]).toEqual([null, 'ok', 'Working']),
    )
    const runtime = await agent.runtime()
    await agent.says('restart')
    await agent.shown('it works again', ({ stopped, report }) =>
      expect([stopped, report?.runs?.length]).toEqual([null, 2]),
    )
    expect(await agent.runtime()).not.toBe(runtime)
    expect(await agent.processes()).toHaveLength(2)
  },
)
