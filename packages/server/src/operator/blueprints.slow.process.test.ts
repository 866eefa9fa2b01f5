/**
 * Tests the operator's commands for blueprints, codes and bots. `npm test` leaves this out.
 * packages/server/src/updates/blueprints/uploads.http.test.ts proves the same rules.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bundle } from '../../testing/bundles.ts'
import { newServiceHome } from '../../testing/service-process.ts'

describe.each(['stopped', 'running'] as const)('while the service is %s', (state) => {
  test('the operator makes, lists and removes blueprints, codes and bots', async () => {
    const home = await newServiceHome()
    if (state === 'running') await home.start()
    await home.value(['workspace', 'create', 'north'])
    await home.value(['workspace', 'activate', 'north', 'svc'])
    await home.value(['product', 'add', 'tasks', '--origin', 'https://tasks.example.org'])
    await home.value(['workspace', 'activate', 'north', 'tasks'])

    const file = join(home.folder, 'mail.zip')
    writeFileSync(file, await bundle({ bindings: ['tasks:editor:tasks.write'], description: 'Sorts mail.' }))
    expect(await home.value(['blueprint', 'upload', 'north', file])).toMatchObject({
      blueprint: 'mail',
      version: '1.0.0',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(await home.run(['blueprint', 'upload', 'north', file])).toMatchObject({ code: 1 })
    writeFileSync(file, 'no zip')
    expect(await home.run(['blueprint', 'upload', 'north', file])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The bundle is refused:\n  The bundle '),
    })
    expect(await home.run(['blueprint', 'upload', 'north', `${file}.none`])).toMatchObject({ code: 1 })
    expect(await home.value(['blueprint', 'list', 'north'])).toMatchObject([
      { name: 'mail', latest: '1.0.0', description: 'Sorts mail.', uploadedBy: 'operator' },
    ])
    expect(await home.value(['blueprint', 'show', 'north/mail'])).toMatchObject({
      versions: [{ version: '1.0.0', runtime: 'process', codes: 0 }],
      agents: [],
    })

    const issued = await home.value<{ code: string; id: string }>([
      ...['code', 'issue', 'north', 'mail@1.0.0'],
      ...['--agent', 'north-mail'],
    ])
    expect(issued).toMatchObject({
      code: expect.stringMatching(/^svc_inst_[\w-]{43}$/),
      agent: 'north-mail',
      warnings: [],
    })
    expect(await home.run(['blueprint', 'delete', 'north/mail@1.0.0'])).toMatchObject({ code: 1 })
    expect(await home.value(['code', 'list', 'north'])).toMatchObject([{ id: issued.id, state: 'live' }])
    expect(await home.value(['code', 'revoke', issued.id])).toEqual({ id: issued.id, revoked: true })
    expect(await home.run(['code', 'revoke', issued.id])).toMatchObject({ code: 1 })
    expect(await home.run(['code', 'issue', 'north', 'mail'])).toMatchObject({ code: 2 })
    const three = ['code', 'issue', 'north', 'mail@1.0.0', '--count', '3', '--agent', 'box']
    const { codes } = await home.value<{ codes: { id: string; agent: string; code: string }[] }>(three)
    expect(codes.map(({ agent }) => agent)).toEqual(['box', 'box-2', 'box-3'])
    const { stdout } = await home.run(three)
    expect(stdout).toMatch(/AGENT +CODE\nbox-4 +svc_inst_\S+\nbox-5 +svc_inst_\S+\nbox-6 +svc_inst_/)
    for (const count of ['0', '51', 'three', '1.5']) {
      const refused = await home.run(['code', 'issue', 'north', 'mail@1.0.0', '--count', count])
      expect(refused).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('count must be a whole number from 1 to 50'),
      })
    }
    for (const { id } of (await home.value<{ id: string; state: string }[]>(['code', 'list', 'north'])).filter(
      ({ state }) => state === 'live',
    ))
      await home.run(['code', 'revoke', id])
    expect(await home.value(['bot', 'list', 'north'])).toEqual([])
    expect(await home.run(['bot', 'revoke', 'north/north-mail'])).toMatchObject({ code: 1 })

    if (state === 'running') {
      const { code } = await home.value<{ code: string }>(['code', 'issue', 'north', 'mail@1.0.0'])
      const install = { method: 'POST', body: JSON.stringify({ code }) }
      expect((await fetch(`${home.url}/api/agent/v1/install`, install)).status).toBe(200)
      expect(await home.run(['blueprint', 'delete', 'north/mail@1.0.0'])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('The agent mail runs or keeps mail 1.0.0'),
      })
      expect(await home.value(['bot', 'list', 'north'])).toMatchObject([
        { name: 'mail', product: 'tasks', tokens: [{ agent: 'mail', state: 'active' }] },
      ])
      expect(await home.value(['bot', 'revoke', 'north/mail', '--product', 'tasks'])).toEqual({
        name: 'mail',
        revoked: 1,
      })
      expect(await home.value(['bot', 'delete', 'north/mail'])).toEqual({ name: 'mail', deleted: 1 })
      await home.value(['agent', 'delete', 'north/mail'])
    }
    expect(await home.value(['blueprint', 'delete', 'north/mail@1.0.0'])).toMatchObject({ deleted: true })
    expect(await home.value(['blueprint', 'list', 'north'])).toEqual([])
  })
})
