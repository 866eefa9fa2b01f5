/** Tests that two agents and their service stay up on one machine, through twenty ends of it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { agentOn, installSvc, shortenTime } from './agents.ts'
import { boot, canBoot } from './machine.ts'
import { bundleIn, type Shown } from './service.ts'
import { serviceUnit } from './unit.ts'

const rounds = 20

describe.skipIf(!canBoot())('one machine with a service and two agents', () => {
  test('after each of twenty reboots, ten of them without warning, nothing is lost and nothing runs twice', {
    timeout: 1_200_000,
  }, async () => {
    const machine = await boot({ name: 'reboots' })
    await shortenTime(machine)
    const { url, operator, ready } = await serviceUnit(machine, '7.0.0')
    const folder = mkdtempSync(join(tmpdir(), 'svc-reboots-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const bundle = await bundleIn(folder, '1.0.0')
    await machine.copyIn(bundle, '/opt/svc')
    await operator(`blueprint upload north ${basename(bundle)}`)
    await machine.addUser('ada', { lingers: true })
    const show = (name: string) => operator<Shown>(`agent show north/${name}`)
    const agents = ['ada', 'root'].map((user) => ({ user, ...agentOn(machine, { show }, user, `${user}-works`) }))
    for (const { user, name } of agents) {
      await installSvc(machine, { url }, user)
      const { code } = await operator<{ code: string }>(`code issue north worker@1.0.0 --agent ${name}`)
      const svc = user === 'root' ? 'svc' : '.local/bin/svc'
      await machine.output(`${svc} init --url ${url} --service`, { user, input: `${code}\n` })
    }
    for (let round = 0; round <= rounds; round++) {
      if (round > 0) {
        await (round % 2 === 0 ? machine.cutPower() : machine.reboot())
        await ready()
      }
      const all = Array.from({ length: round + 1 }, (_, n) => `start-${n + 1}`)
      for (const agent of agents) {
        const { report } = await agent.shown(`start ${round + 1} of ${agent.name}`, ({ stopped, report }) =>
          expect([stopped, report?.state?.level, report?.runs?.length]).toEqual([null, 'ok', round + 1]),
        )
        expect(report?.runs?.map(({ id }) => id).sort()).toEqual(all.sort())
        expect(await agent.starts()).toHaveLength(round + 1)
        expect(await agent.processes()).toHaveLength(2)
      }
    }
    expect((await operator<object[]>('agent list north')).length).toBe(agents.length)
    expect(await machine.output('systemctl --failed --no-legend')).toBe('')
  })
})
