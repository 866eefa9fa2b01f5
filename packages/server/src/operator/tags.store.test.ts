/** Tests the commands about tags, which call the same functions as the page. */
import { expect, test } from 'vitest'
import { installing } from '../../testing/installing.ts'
import { onEveryEngine } from '../../testing/stores.ts'
import { redeemInstall } from '../updates/installs/redeem.ts'
import { commands } from './commands/all.ts'
import type { OperatorRequest, ServiceParts } from './shared/request.ts'
import { runOperatorCommand } from './socket/socket.ts'

onEveryEngine('tags by svc-server', (open) => {
  const start = async () => {
    const w = await installing(await open())
    for (const name of ['mail-1', 'mail-2', 'disk-1']) await w.addAgent(name)
    const heard: string[] = []
    const live = {
      ...{ changed: () => {}, listChanged: () => {}, rightsChanged: async () => {} },
      reported: (_workspace: string, agent: string) => heard.push(agent),
    }
    const config = { dataDir: 'data', baseUrl: 'http://localhost' }
    const service = { store: w.store, live, config, now: w.clock.now } as unknown as ServiceParts
    const run = (name: string, args: string[], options: OperatorRequest['options'] = {}) =>
      runOperatorCommand(name, { args, options, input: '' }, service)
    const value = async (...call: Parameters<typeof run>) => {
      const outcome = await run(...call)
      return outcome.ok ? outcome.value : `${outcome.kind}: ${outcome.message}`
    }
    const said = async (...call: Parameters<typeof run>) => {
      const outcome = await run(...call)
      return outcome.ok ? commands[call[0]]?.show(outcome.value) : `${outcome.kind}: ${outcome.message}`
    }
    const tagsOf = async (filter: string) =>
      (await value('agent list', [w.workspace.slug], { filter })) as { name: string; tags: string[] }[]
    return { w, heard, value, said, tagsOf, slug: w.workspace.slug }
  }

  test('are given to one agent, or to those that a filter selects, and taken again', async () => {
    const { heard, value, said, tagsOf, slug } = await start()
    expect(await value('agent tag', [slug], { filter: 'name:mail-*', add: 'prod, eu' })).toEqual([
      { name: 'mail-1', tags: ['eu', 'prod'] },
      { name: 'mail-2', tags: ['eu', 'prod'] },
      { name: 'mail-triage', tags: ['eu', 'prod'] },
    ])
    expect(heard).toHaveLength(3)
    expect(await said('agent tag', [`${slug}/mail-2`], { remove: 'eu,prod' })).toMatch(/AGENT +TAGS\nmail-2 +-$/)
    expect(await said('agent tag', [`${slug}/disk-1`], { add: 'us', remove: 'eu' })).toMatch(/disk-1 +us$/)
    expect((await tagsOf('tag:*')).map(({ name, tags }) => [name, tags])).toEqual([
      ['disk-1', ['us']],
      ['mail-1', ['eu', 'prod']],
      ['mail-triage', ['eu', 'prod']],
    ])
    expect(await said('agent show', [`${slug}/mail-1`])).toMatch(/\n {2}tags eu, prod\n/)
  })

  test('are refused with the reason, and then nothing changes', async () => {
    const { said, tagsOf, slug } = await start()
    const twenty = Array.from({ length: 20 }, (_, i) => `t${i}`).join(',')
    await said('agent tag', [`${slug}/mail-2`], { add: twenty })
    for (const [path, options, message] of [
      [slug, { add: 'eu' }, /^misused: Name one agent, or select agents: agent tag SLUG\/NAME/],
      [`${slug}/mail-1`, { filter: 'mail', add: 'eu' }, /^misused: Name one agent, or select agents/],
      [`${slug}/mail-1`, {}, /^misused: add or remove must name at least one tag\.$/],
      [`${slug}/mail-1`, { add: 'EU' }, /^misused: A tag has 1 to 40 of the characters a-z/],
      [`${slug}/mail-1`, { add: 'eu,,us' }, /^misused: A tag has .* got ""\.$/],
      [`${slug}/mail-1`, { add: '' }, /^misused: A tag has .* got ""\.$/],
      [`${slug}/nobody`, { add: 'eu' }, /There is no agent "nobody"/],
      [slug, { filter: 'nothing', add: 'eu' }, /^refused: The filter selects no agent\. Nothing was changed\.$/],
      [slug, { filter: 'colour:red', add: 'eu' }, /\n {2}colour:red\n {2}\^/],
      [
        slug,
        { filter: 'disk -tag:prd', add: 'eu' },
        /^refused: Nothing was changed\. .*\n-tag:prd excludes no agent\.\n/,
      ],
      [
        slug,
        { filter: 'disk -tag:prd', expect: '2', add: 'eu' },
        /^refused: The filter selects 1 agent, not 2\. Nothing/,
      ],
      [`${slug}/mail-1`, { expect: '1', add: 'eu' }, /^misused: --expect is the number/],
      [slug, { filter: 'mail', add: 'eu' }, /^refused: The agent mail-2 would have 21 tags; an agent has at most 20/],
    ] as const)
      expect(await said('agent tag', [path], options)).toMatch(message)
    expect(await tagsOf('tag:eu')).toEqual([])
    const confirmed = { filter: 'disk -tag:prd', expect: '1', add: 'eu' }
    expect(await said('agent tag', [slug], confirmed)).toMatch(/\ndisk-1 +eu\n-tag:prd excludes no agent\.$/)
  })

  test('are given with an agent and with an install code', async () => {
    const { w, value, said, tagsOf, slug } = await start()
    await w.upload()
    expect(await value('agent create', [`${slug}/made`], { tags: 'eu' })).toMatchObject({ name: 'made' })
    const wanted = [slug, 'mail@1.0.0']
    const issued = await value('code issue', wanted, { agent: 'installed', tags: 'prod, eu' })
    expect(issued).toMatchObject({ agent: 'installed', tags: ['prod', 'eu'] })
    expect(await value('code list', [slug])).toMatchObject([{ agentName: 'installed', tags: ['eu', 'prod'] }])
    const { code } = issued as { code: string }
    expect(await redeemInstall(w.store.db, code, w.clock.now())).toMatchObject({ ok: true })
    expect((await tagsOf('tag:eu')).map(({ name, tags }) => [name, tags])).toEqual([
      ['installed', ['eu', 'prod']],
      ['made', ['eu']],
    ])
    for (const [name, path] of [
      ['agent create', [`${slug}/other`]],
      ['code issue', wanted],
    ] as const) {
      expect(await said(name, [...path], { tags: 'EU' })).toMatch(/^misused: A tag has 1 to 40/)
      const many = Array.from({ length: 21 }, (_, i) => `t${i}`).join(',')
      expect(await said(name, [...path], { tags: many })).toBe('misused: tags must be a list of at most 20: got 21.')
    }
    expect(await tagsOf('name:other')).toEqual([])
  })
})
