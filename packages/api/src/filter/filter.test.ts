import { compareVersions, isVersion } from '@svc/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  chips,
  type FilterFacts,
  filterTest,
  fitsChip,
  idleTerms,
  isOffline,
  levelOf,
  parseFilter,
  pressChip,
  pressedChip,
  quoteWord,
} from './index.ts'
import { agentWith, caseAgents, caseTime, selections, wrongFilters } from './testing/table.ts'

const parsed = (text: string) => {
  const read = parseFilter(text)
  if (!read.ok) throw new Error(`${text}: ${read.message}`)
  return read.value
}
const fits = (text: string, agent: FilterFacts) => filterTest(parsed(text).terms, caseTime)(agent)

test.each(selections)('the filter %j selects %j', (text, selects) => {
  const found = Object.entries(caseAgents).filter(([, agent]) => fits(text, agent))
  expect(found.map(([id]) => id).join(' ')).toBe(selects)
})

test.each(wrongFilters)('the text %j is refused at %d', (text, at) => {
  expect(parseFilter(text)).toMatchObject({ ok: false, at, message: expect.stringMatching(/^\S.*[.]$/) })
})

test('an error covers the wrong part and says what is possible', () => {
  expect(parseFilter('mail level:green')).toEqual({
    ok: false,
    at: 11,
    length: 5,
    message: 'level: does not take green. It takes ok, info, warn, bad or none.',
  })
  expect(parseFilter('tag:')).toMatchObject({ at: 4, length: 0 })
})

/** Texts that agents report, and filters that look the same. */
test.each<[agent: Partial<FilterFacts>, fitting: readonly string[]]>([
  [{ host: 'web\u00ad1' }, ['host:web1', 'web1']],
  [{ host: 'web\u00a01' }, ['host:"web 1"', '"web 1"']],
  [{ host: 'ＷＥＢ１' }, ['host:web1', 'host:web*']],
  [{ host: 'u\u0308ber' }, ['host:\u00fcber', '\u00fcber']],
  [{ label: 'can’t connect' }, ["can't", '“can’t connect”', '"can\'t connect"']],
  [{ label: 'a – b' }, ['"a - b"', '“a — b”']],
  [{ label: 'say “hi”' }, ['"say \\"hi\\""', '«say \\“hi\\”»']],
  [{ tags: ['env:prod'] }, ['tag:env:prod', 'tag：env：prod', 'tag:"env:prod"']],
  [{ detail: 'one\ntwo\u200b three' }, ['"one two three"']],
])('texts of agents with %j are found by what looks the same', (agent, fitting) => {
  for (const text of fitting) {
    expect([text, fits(text, agentWith(agent))]).toEqual([text, true])
    expect([text, fits(`-${text}`, agentWith(agent))]).toEqual([text, false])
  }
})

test.each<[text: string, idle: string[]]>([
  ['', []],
  ['-host:build-1', []],
  ['-host:build-01', ['-host:build-01']],
  ['-host:mail -nothing level:bad -level:ok', ['-host:mail', '-nothing']],
  ['host:nowhere', []],
  ['-tag:eu,never', []],
])('of the filter %j the terms %j exclude no agent', (text, idle) => {
  const found = idleTerms(parsed(text).terms, Object.values(caseAgents), caseTime)
  expect(found.map(({ at, length }) => text.slice(at, at + length))).toEqual(idle)
})

const updates = (more: Partial<FilterFacts['updates']>) => ({ updates: { ...agentWith({}).updates, ...more } })
const day = 86_400_000
test.each<[agent: Partial<FilterFacts>, fitting: string, others: string]>([
  [{ statusLate: true, level: 'ok' }, 'level:warn is:late', 'level:ok'],
  [{ statusLate: true, level: 'ok', stopped: 'person' }, 'level:ok is:stopped', 'is:late is:offline is:online'],
  [{ silentAt: caseTime }, 'is:offline level:none', 'is:online is:never'],
  [{ label: 'Paused' }, 'is:paused', 'is:running'],
  [updates({ runtimeOutdated: true, runtime: '0.1.0' }), 'is:outdated runtime:<0.2.0 runtime:0.1.*', 'runtime:>0.1.0'],
  [updates({}), 'update:none', 'update:pending update:held is:outdated runtime:*'],
  [updates({ wishState: 'kept' }), 'update:none', 'update:pending'],
  [updates({ wishState: 'queued' }), 'update:pending', 'update:none'],
  [updates({ runtimeWishState: 'offered' }), 'update:pending', 'update:none update:trying'],
  [updates({ wishState: 'trying', runtimeWishState: 'failed' }), 'update:trying update:failed', 'update:none'],
  [updates({ wishState: 'rolled_back' }), 'update:rolled_back', 'update:failed'],
  [updates({ runtimeHeld: true }), 'update:held', 'update:none'],
  [{ alerts: { open: 1, acknowledged: 1 } }, 'alert:open alert:acknowledged', 'alert:none'],
  [{ alerts: { open: 0, acknowledged: 0 } }, 'alert:none', 'alert:open'],
  [{ seenAt: caseTime - 40 * day }, 'seen:>39d seen:<41d seen:>=40d seen:<=40d', 'seen:>40d seen:<40d'],
  [{ costToday: 0.1 + 0.2 }, 'cost:0.3 cost:=0.3 cost:<=0.30', 'cost:>0.3 cost:<0.3'],
  [{ version: '1.0.0-RC.1' }, 'version:>=1.0.0-rc.1 version:1.0.0-rc.1', 'version:>1.0.0-rc.1'],
])('the agent with %j fits %j and not %j', (agent, fitting, others) => {
  const each = (texts: string) => texts.split(' ').map((text) => [text, fits(text, agentWith(agent))])
  expect(each(fitting)).toEqual(each(fitting).map(([text]) => [text, true]))
  expect(each(others)).toEqual(each(others).map(([text]) => [text, false]))
})

test.each<[text: string, chip: (typeof chips)[number] | undefined, after: string, pressed: string | undefined]>([
  ['', 'bad', 'level:bad', 'all'],
  ['level:bad', undefined, '', 'bad'],
  ['mail level:ok', 'silent', 'mail is:offline', 'ok'],
  ['is:running tag:eu -level:ok "a  b"', 'never', 'tag:eu -level:ok "a  b" is:never', undefined],
  ['level:bad,warn', 'warn', 'level:warn', undefined],
  ['level:bad is:offline', undefined, '', undefined],
])('in the filter %j the chip %s gives %j', (text, chip, after, pressed) => {
  expect(pressChip(parsed(text), chip)).toBe(after)
  expect(pressedChip(parsed(text))).toBe(pressed)
})

test('each chip counts the agents that its term selects', () => {
  for (const chip of chips)
    for (const agent of Object.values(caseAgents))
      expect(fits(pressChip(parsed(''), chip), agent)).toBe(fitsChip(chip, agent, caseTime))
})

/** For each key, values from which random filters are made. */
const versions = ['1.4.0', '1.4.*', '"1.4.0"', 'nightly', '<1.4.0', '>=1.4.0', '=1.4.0', '<=1.10.0', '>1.4.0-rc.1']
const costs = ['0', '1', '=0.5', '>0', '<1', '>=0.5', '<=.5']
const valuesOf = {
  tag: ['eu', '*', 'm*', '"m*"', 'PROD'],
  host: ['build-1', '*', 'b*1', '"build-1"', 'mail'],
  name: ['mail-1', 'm*', 'a*b', '"a*b"', 'eu'],
  blueprint: ['*', 'mail'],
  level: ['ok', 'info', 'warn', 'bad', 'none'],
  is: ['never', 'stopped', 'offline', 'online', 'running', 'paused', 'late', 'outdated'],
  update: ['none', 'pending', 'trying', 'failed', 'rolled_back', 'held'],
  alert: ['open', 'acknowledged', 'none'],
  can: ['pause', 'resume', 'run_now'],
  version: versions,
  runtime: versions,
  cost: costs,
  cost30: costs,
  seen: ['<1m', '>1m', '<=60s', '>=1h', '<2d'],
}
const keyed = fc
  .constantFrom(...Object.entries(valuesOf))
  .chain(([key, values]) =>
    fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 3 }).map((some) => `${key}:${some.join(',')}`),
  )
const word = fc.constantFrom('mail', '4', '"the password"', 'a', '""', 'BUILD', '*', '"a \\" b"')
const anyTerm = fc.tuple(fc.boolean(), fc.oneof(keyed, word)).map(([negated, term]) => `${negated ? '-' : ''}${term}`)
const anyFilter = fc.array(anyTerm, { maxLength: 6 }).map((terms) => terms.join(' '))
const texts = fc.constantFrom(null, 'mail', 'The password', 'eu', '*', 'build-1', 'a " b', '401', 'Paused')
const anyAgent = fc
  .record({
    name: fc.constantFrom('mail-1', 'eu', 'm', 'a*b'),
    level: fc.constantFrom(null, 'ok', 'info', 'warn', 'bad'),
    label: texts,
    detail: texts,
    doing: texts,
    host: texts,
    version: fc.constantFrom(null, '1.4.0', '1.3.9', 'nightly', '1.4.0-rc.1', '1.10.0'),
    tags: fc.subarray(['eu', 'm', 'prod']),
    seenAt: fc.constantFrom(null, caseTime - 1, caseTime - 60_000, caseTime - 3_600_000),
    silentAt: fc.constantFrom(null, caseTime - 1, caseTime + 1),
    stopped: fc.constantFrom(null, 'person'),
    statusLate: fc.boolean(),
    secretsMissing: fc.boolean(),
    controls: fc.subarray(['pause', 'resume', 'run_now']),
    costToday: fc.constantFrom(null, 0, 0.5, 1),
    cost30: fc.constantFrom(null, 0, 0.5, 1),
    alerts: fc.record({ open: fc.nat(1), acknowledged: fc.nat(1) }),
    updates: fc.record({
      blueprint: fc.constantFrom(null, 'mail'),
      wishState: fc.constantFrom('none', 'waiting', 'trying', 'kept', 'rolled_back', 'failed', 'held'),
      runtime: fc.constantFrom(null, '1.4.0', '1.3.9'),
      runtimeWishState: fc.constantFrom('none', 'queued', 'offered', 'trying', 'failed'),
      runtimeHeld: fc.boolean(),
      runtimeOutdated: fc.boolean(),
    }),
  })
  .map((facts) => agentWith(facts as Partial<FilterFacts>))

/** An obvious and slow reading of filters that are known to be right: by splitting, and by regular expressions. */
function obviously(text: string, agent: FilterFacts): boolean {
  const terms = text.match(/-?(?:\w+:\S+|"(?:\\.|[^"])*"|\S+)/g) ?? []
  const groups = new Map<string, boolean[]>()
  for (const [i, term] of terms.entries()) {
    const negated = term.startsWith('-')
    const positive = negated ? term.slice(1) : term
    const [, key, values = ''] = /^(\w+):(.*)$/.exec(positive) ?? []
    const holds = key
      ? values.split(',').some((value) => holdsKeyed(key, value, agent))
      : holdsWord(positive.replace(/^"(.*)"$/, '$1').replace(/\\(.)/g, '$1'), agent)
    const alone = negated || !key || /[<>]/.test(values)
    const group = alone ? `${i}` : `${key}:`
    groups.set(group, [...(groups.get(group) ?? []), holds !== negated])
  }
  return [...groups.values()].every((any) => any.includes(true))
}
function holdsWord(word: string, { name, label, detail, doing, host, version, updates, tags }: FilterFacts): boolean {
  const all = [name, label, detail, doing, host, version, updates.blueprint, ...tags]
  return all.some((one) => one?.toLowerCase().includes(word.toLowerCase()))
}
function holdsKeyed(key: string, value: string, agent: FilterFacts): boolean {
  const [, operator = '', wanted = ''] = /^([<>]?=?)(.*)$/.exec(value) ?? []
  const whole = wanted.startsWith('"') ? escaped(wanted.slice(1, -1)) : wanted.split('*').map(escaped).join('.*')
  const isLike = (text: string | null) => text !== null && new RegExp(`^${whole}$`, 'is').test(text)
  const compares = (order: number) =>
    (operator.includes('<') && order < 0) ||
    (operator.includes('>') && order > 0) ||
    ((operator === '' || operator.includes('=')) && order === 0)
  const ofVersion = (own: string | null) => {
    if (operator === '') return isLike(own)
    return own !== null && isVersion(own) && compares(compareVersions(own, wanted))
  }
  const { seenAt, stopped, alerts, updates, version, label, doing, tags, host, name, costToday, cost30 } = agent
  const states = [updates.wishState, updates.runtimeWishState]
  const offline = stopped === null && isOffline(agent, caseTime)
  const seconds = Number.parseInt(wanted, 10) * ({ s: 1, m: 60, h: 3600, d: 86_400 }[wanted.at(-1) ?? ''] ?? 0)
  const answers: Record<string, boolean | Record<string, boolean>> = {
    tag: tags.some(isLike),
    host: isLike(host),
    name: isLike(name),
    blueprint: isLike(updates.blueprint),
    level: (levelOf(agent) ?? 'none') === value,
    is: {
      never: seenAt === null,
      stopped: stopped !== null,
      offline,
      online: seenAt !== null && stopped === null && !offline,
      running: doing !== null,
      paused: label === 'Paused',
      late: agent.statusLate && stopped === null,
      outdated: updates.runtimeOutdated,
    },
    update: {
      none: states.every((state) => state === 'none' || state === 'kept') && !updates.runtimeHeld,
      pending: states.some((state) => ['queued', 'waiting', 'offered'].includes(state)),
      trying: states.includes('trying'),
      failed: states.includes('failed'),
      rolled_back: states.includes('rolled_back'),
      held: states.includes('held') || updates.runtimeHeld,
    },
    alert: {
      open: alerts.open > 0,
      acknowledged: alerts.acknowledged > 0,
      none: alerts.open === 0 && alerts.acknowledged === 0,
    },
    can: agent.controls.includes(value as 'pause'),
    version: ofVersion(version),
    runtime: ofVersion(updates.runtime),
    cost: compares((costToday ?? 0) - Number(wanted)),
    cost30: compares((cost30 ?? 0) - Number(wanted)),
    seen: seenAt !== null && compares((caseTime - seenAt) / 1000 - seconds),
  }
  const answer = answers[key]
  const holds = typeof answer === 'object' ? answer[value] : answer
  if (holds === undefined) throw new Error(`The test does not know ${key}:${value}.`)
  return holds
}
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

test('random filters select what an obvious reading selects', () => {
  let read = 0
  fc.assert(
    fc.property(anyFilter, fc.array(anyAgent, { minLength: 1, maxLength: 5 }), (text, agents) => {
      const filter = parseFilter(text)
      if (!filter.ok) return
      read++
      const selects = filterTest(filter.value.terms, caseTime)
      for (const agent of agents)
        if (selects(agent) !== obviously(text, agent))
          throw new Error(`${text} is read differently for ${JSON.stringify(agent)}`)
    }),
    { numRuns: 5000 },
  )
  expect(read).toBeGreaterThan(500)
})

test('10,000 random texts are read or refused with a place inside of the text, and never throw', () => {
  const piece = fc.constantFrom(
    '-',
    ':',
    ',',
    '"',
    '\\',
    '*',
    '<',
    '>',
    '=',
    ' ',
    'tag',
    'level:',
    'is:',
    'seen:>',
    'cost:',
  )
  const mixed = fc.array(fc.oneof(piece, fc.string({ unit: 'binary', maxLength: 3 })), { maxLength: 30 })
  fc.assert(
    fc.property(
      fc.oneof(
        mixed.map((all) => all.join('')),
        fc.string({ unit: 'binary', maxLength: 600 }),
      ),
      (text) => {
        const read = parseFilter(text)
        if (read.ok) for (const agent of Object.values(caseAgents)) filterTest(read.value.terms, caseTime)(agent)
        else expect(read.at >= 0 && read.length >= 0 && read.at + read.length <= text.length).toBe(true)
      },
    ),
    { numRuns: 10_000 },
  )
})

test('a text in quotation marks is one word that finds itself', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (text) => {
      expect(fits(quoteWord(text), agentWith({ detail: `before ${text} behind` }))).toBe(true)
    }),
  )
})
