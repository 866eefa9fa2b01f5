import { ruleNames } from '@svc/api'
import { expect, test } from 'vitest'
import { onEveryEngine } from '../../testing/stores.ts'
import { hook, openAlert, typing } from '../../testing/typing.ts'
import type { Alert } from '../alerts/rules/judge.ts'

const text = expect.any(String)
const number = expect.any(Number)

onEveryEngine('commands for alerts and rules', (open) => {
  const start = async () => typing(await open())

  test('alert list prints every state, with exactly the keys that programs rely on', async () => {
    const { w, json, said } = await start()
    expect(await json('alert list north')).toEqual([])
    expect(await said('alert list north')).toBe('There is no alert.')
    const at = w.clock.now()
    const states: [string, Partial<Alert>][] = [
      ['pending', { phase: 'pending', openedAt: null }],
      ['open', {}],
      ['closing', { phase: 'closing' }],
      ['unsteady', { unsteadySince: at }],
      ['ended', { endedAt: at + 60_000 }],
    ]
    for (const [name, alert] of states) await openAlert(w, { ...(await w.addAgent(name)), alert })
    const listed = [...states].reverse().map(([state, { openedAt = at, endedAt = null }]) => ({
      id: text,
      rule: 'bad',
      level: 'bad',
      subject: { kind: 'agent', name: state },
      state,
      since: at,
      openedAt,
      endedAt,
      acknowledged: null,
      muted: false,
    }))
    expect(await json('alert list north --all')).toEqual(listed)
    expect(await json('alert list north')).toEqual(listed.slice(1))
    expect(await said('alert list nowhere')).toMatch(/^refused: There is no workspace "nowhere"\. The data folder is /)
  })

  test('alert acknowledge says who did it, when and with which note; only an open alert can be acknowledged', async () => {
    const { w, json, said } = await start()
    const id = await openAlert(w, w.agent)
    expect(await json(`alert acknowledge ${id} --note`, ['I look at it'])).toEqual({ id })
    const acknowledged = { by: 'operator', at: w.clock.now(), note: 'I look at it' }
    expect(await json('alert list north')).toMatchObject([{ id, state: 'open', acknowledged }])
    const plain = await openAlert(w, await w.addAgent('other'))
    expect(await said(`alert acknowledge ${plain}`)).toBe(`The alert ${plain} is acknowledged.`)
    expect(await json('alert list north')).toMatchObject([{ acknowledged: { note: null } }, {}])
    const ended = await openAlert(w, { ...(await w.addAgent('past')), alert: { endedAt: w.clock.now() } })
    expect(await said(`alert acknowledge ${ended}`)).toBe('refused: The alert has ended.')
    expect(await said('alert acknowledge none')).toMatch(/^refused: There is no alert "none"\./)
  })

  test('alert mute, mutes and unmute print the same four keys, with names or null', async () => {
    const { w, json, said } = await start()
    const until = (seconds: number) => w.clock.now() + seconds * 1000
    const one = await json('alert mute north --agent mail-triage --rule bad --for 2h')
    expect(one).toEqual({ id: text, agent: 'mail-triage', rule: 'bad', until: until(7200) })
    const all = await json('alert mute north --for 30d')
    expect(all).toEqual({ id: text, agent: null, rule: null, until: until(2_592_000) })
    const over = await json('alert mute north --rule silent --for over')
    expect(over).toEqual({ id: text, agent: null, rule: 'silent', until: null })
    expect(await json('alert mutes north')).toEqual([one, all, over])
    expect(await said('alert mutes north')).toMatch(/all +silent +it is over$/m)
    expect(await json(`alert unmute ${one.id}`)).toEqual({ id: one.id })
    expect(await json('alert mutes north')).toEqual([all, over])
    expect(await said(`alert unmute ${one.id}`)).toMatch(/^refused: There is no such mute, or it has ended\./)
    expect(await said('alert unmute none')).toMatch(/^refused: There is no mute "none"\./)
    expect(await said('alert mute north')).toMatch(/^misused: A mute needs an end: --for 2h/)
    expect(await said('alert mute north --for 0s')).toBe('refused: A mute must last longer than 0 s.')
    expect(await said('alert mute north --for 2h --rule loud')).toMatch(/^misused: A rule is one of silent, bad/)
    expect(await said('alert mute north --for 2h --agent nobody')).toMatch(/^refused: There is no such agent/)
  })

  test('a mute of a health item, and the alert about one, name the item', async () => {
    const { w, json, said } = await start()
    const until = w.clock.now() + 7_200_000
    const one = await json('alert mute north --agent mail-triage --for 2h --item', ['Job backup'])
    expect(one).toEqual({ id: text, agent: 'mail-triage', rule: 'item', item: 'Job backup', until })
    expect(await json('alert mutes north')).toEqual([one])
    expect(await said('alert mutes north')).toMatch(/ mail-triage: Job backup +item +/)
    expect(
      await json('alert mute north --agent mail-triage --rule item --for 2h --item', ['x'.repeat(99)]),
    ).toMatchObject({
      item: 'x'.repeat(80),
    })
    await openAlert(w, { ...w.agent, alert: {}, item: 'Job backup' })
    expect(await json('alert list north')).toMatchObject([
      { rule: 'item', subject: { kind: 'agent', name: 'mail-triage', item: 'Job backup' } },
    ])
    expect(await said('alert list north')).toContain('agent mail-triage: Job backup')
    const refusals: [string, string, RegExp][] = [
      ['north', 'Job backup', /^refused: A mute of the health item "Job backup" needs the agent that has it\./],
      [
        'north --agent mail-triage --rule bad',
        'Job backup',
        /^refused: A mute of a health item belongs to the rule item: got/,
      ],
      ['north --agent mail-triage', ' ', /^refused: A mute of a health item needs the name of the item/],
      ['north --agent nobody', 'Job backup', /^refused: There is no such agent/],
    ]
    for (const [where, item, sentence] of refusals)
      expect(await said(`alert mute ${where} --for 2h --item`, [item]), where).toMatch(sentence)
    expect(await json('alert mutes north')).toHaveLength(2)
  })

  test('rule list prints every rule, and rule set the changed one, with the keys that programs rely on', async () => {
    const { json, said } = await start()
    const rules = await json('rule list north')
    expect(rules.map(({ rule }: { rule: string }) => rule)).toEqual([...ruleNames])
    for (const rule of rules) {
      const nothing = { limit: null, statuses: null, channels: null }
      const level = expect.stringMatching(/^(warn|bad)$/)
      const statuses = rule.rule === 'run_failed' ? ['failed', 'error', 'timeout', 'lost'] : null
      expect(rule).toEqual({ rule: text, on: expect.any(Boolean), after: number, level, ...nothing, statuses })
    }
    const silent = { rule: 'silent', on: true, after: 600, level: 'bad', limit: null, statuses: null, channels: null }
    expect(rules[0]).toEqual(silent)
    await json('channel add north ops', hook)
    expect(await json('rule set north silent --off --channels ops')).toEqual({
      ...silent,
      ...{ on: false, channels: ['ops'] },
    })
    expect(await json('rule set north silent --on --channels all')).toEqual(silent)
    expect(await json('rule set north cost_day --limit 2.50')).toMatchObject({ on: true, limit: 2.5 })
    expect(await json('rule set north run_failed --statuses failed,timeout')).toMatchObject({
      on: false,
      statuses: ['failed', 'timeout'],
    })
    expect((await json('rule list north'))[0]).toEqual(silent)
    expect(await said('rule set north silent --off')).toMatch(/^silent +no +10m +bad +- +- +all +- +- +yes$/m)
  })

  test('rule set switches reminders and escalation, rule list shows them, and programs see the same keys as before', async () => {
    const { json, said } = await start()
    await json('channel add north ops', hook)
    const before = (await json('rule list north'))[0]
    const escalated = await said('rule set north silent --escalate 30m --escalate-to ops --reminders off')
    expect(escalated).toMatch(/^silent +yes +10m +bad +- +- +all except ops +- +ops after 30m +no$/m)
    expect((await json('rule list north'))[0]).toEqual(before)
    expect(await said('rule set north silent --escalate 1h --escalate-to ops')).toMatch(/ops after 1h +no$/m)
    expect(await said('rule set north silent --escalate off --reminders on')).toMatch(/ all +- +- +yes$/m)
  })

  test('rule set limits a rule to the agents of a filter; rule list shows it, and programs see a key only then', async () => {
    const { json, said } = await start()
    const before = (await json('rule list north'))[0]
    expect(await json('rule set north silent --filter', ['tag:prod -host:build-*'])).toEqual({
      ...before,
      filter: 'tag:prod -host:build-*',
    })
    expect(await said('rule list north')).toMatch(
      /^silent +yes +10m +bad +- +- +all +tag:prod -host:build-\* +- +yes$/m,
    )
    expect(await said('rule list north')).toMatch(
      /\nsilent: its filter fits no agent, so the rule is off for all of them\.\nsilent: -host:build-\* excludes no agent\.$/,
    )
    const fits = await said('rule set north silent --filter', ['name:mail-*'])
    expect(fits).toMatch(/\nsilent: its filter fits 1 agent\.$/)
    expect(await said('rule set north silent --filter level:bad')).toMatch(
      /^refused: The filter of a rule takes only tag:, host:, blueprint: and name:\. level: changes with/,
    )
    expect(await said('rule set north rollout --filter tag:prod')).toBe(
      'refused: The rule rollout is not about agents, so it takes no filter.',
    )
    expect(await json('rule set north silent --filter all')).toEqual(before)
  })

  test('a duration is taken as given, in seconds, up to 30 days; anything else is refused and changes nothing', async () => {
    const { json, said } = await start()
    for (const [typed, seconds] of Object.entries({ '0s': 0, '2s': 2, '10m': 600, '36h': 129_600, '30d': 2_592_000 }))
      expect(await json(`rule set north bad --after ${typed}`)).toMatchObject({ after: seconds })
    const accepted = 'a whole number with s, m, h or d, such as 0s, 10m or 2h, and at most 30d'
    for (const typed of ['31d', '1.5h', '10', '1h30m', 'soon']) {
      expect(await said(`rule set north bad --after ${typed}`)).toBe(`misused: --after is ${accepted}: got "${typed}".`)
      expect(await said(`alert mute north --for ${typed}`)).toBe(`misused: --for is ${accepted}: got "${typed}".`)
    }
    expect((await json('rule list north'))[1]).toMatchObject({ rule: 'bad', after: 2_592_000 })
    expect(await json('alert mutes north')).toEqual([])
  })

  test('a rule is not set to what it cannot have, and the sentence says what would be accepted', async () => {
    const { json, said } = await start()
    const rules = await json('rule list north')
    const refusals: [string, RegExp][] = [
      ['', /^misused: Say what to change: --on, --off/],
      [' --on --off', /^misused: A rule is --on or --off, not both/],
      [' --limit 5', /^refused: The rule silent has no limit; cost_day has one/],
      [' --limit five', /^misused: --limit is a number of US dollars above 0/],
      [' --limit 0', /^misused: --limit is a number of US dollars above 0/],
      [' --statuses failed', /^refused: The rule silent has no statuses; run_failed has/],
      [' --channels nowhere', /^refused: There is no channel "nowhere"/],
      [' --reminders maybe', /^misused: --reminders is on or off: got "maybe"/],
      [' --escalate 30m', /^misused: An escalation needs a time and channels/],
      [' --escalate-to ops', /^misused: An escalation needs a time and channels/],
      [' --escalate off --escalate-to ops', /^misused: An escalation needs a time and channels/],
      [' --escalate soon --escalate-to ops', /^misused: --escalate is a whole number with s, m, h or d/],
      [' --escalate 30m --escalate-to nowhere', /^refused: There is no channel "nowhere"/],
    ]
    for (const [more, sentence] of refusals) expect(await said(`rule set north silent${more}`)).toMatch(sentence)
    expect(await json('rule list north')).toEqual(rules)
  })
})
