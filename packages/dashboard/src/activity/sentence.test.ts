import { expect, test } from 'vitest'
import { entrySentence, type SentencePart } from './sentence.ts'

const plain = (parts: SentencePart[]) =>
  parts
    .map((p) => {
      if (typeof p === 'string') return p
      if ('words' in p) return p.words
      return 'agent' in p ? p.agent : 'log' in p ? p.log : p.said
    })
    .join('')

test.each([
  ['agent.created', 'agent mail-triage', {}, 'added mail-triage'],
  ['agent.created', 'agent mail', { tags: ['eu'] }, 'added mail with the tag eu'],
  ['agent.tagged', 'agent mail', { agents: 1, add: ['eu', 'prod'], remove: [] }, 'gave mail the tags eu, prod'],
  ['agent.tagged', '1200 agents', { agents: 1200, add: [], remove: ['old'] }, 'took the tag old from 1,200 agents'],
  [
    'agent.tagged',
    '2 agents',
    { agents: 2, add: ['eu'], remove: ['us'] },
    'gave 2 agents the tag eu, and took the tag us',
  ],
  ['agent.renamed', 'agent mail', { from: 'post' }, 'renamed post to mail'],
  ['agent.deleted', 'agent mail', { cancelled: [] }, 'deleted mail'],
  ['agent.deleted', 'agent mail', { cancelled: ['pause'] }, 'deleted mail, which cancelled 1 pending command'],
  ['command.sent', 'agent mail', { type: 'pause', payload: {} }, 'asked mail to pause'],
  ['command.sent', 'agent mail', { type: 'log', payload: { name: 'work' } }, 'asked mail for its log work'],
  [
    'command.sent',
    'agent mail',
    { type: 'set', payload: { every: 5, model: null, dry: true } },
    'asked mail to set every to 5, model to not set, dry to true',
  ],
  ['member.invited', 'person ann@example.org', { role: 'admin' }, 'invited ann@example.org as an admin'],
  ['member.role_changed', 'person ann@example.org', { to: 'member' }, 'made ann@example.org a member'],
  ['member.left', 'person ann@example.org', {}, 'left the workspace'],
  ['workspace.activated', 'workspace acme', { product: 'svc' }, 'activated acme for svc'],
  [
    'agent.installed',
    'agent mail',
    { blueprint: 'mail-triage', version: '1.0.0' },
    'installed mail from mail-triage 1.0.0',
  ],
  ['blueprint.uploaded', 'blueprint mail@1.0.0', { size: 5 }, 'uploaded the blueprint mail 1.0.0'],
  [
    'code.issued',
    'blueprint mail@1.0.0',
    { agent: 'm' },
    'issued an install code for mail 1.0.0, for an agent named m',
  ],
  ['bot.revoked', 'bot mail', { product: 'tasks', agents: ['a', 'b'] }, 'revoked the bot mail in tasks, for a, b'],
  ['bot.deleted', 'bot mail', { product: 'tasks', role: 'editor' }, 'deleted the bot mail in tasks'],
  ['command.sent', '12 agents', { type: 'pause', payload: {}, agents: ['a', 'b'] }, 'asked 12 agents to pause'],
  ['action.sent', '40 agents', { action: 'x', type: 'pause', agents: 40 }, 'asked 40 agents to pause'],
  ['action.sent', 'agent mail', { action: 'x', type: 'set', agents: 1 }, 'asked mail to change settings'],
  ['action.cancelled', '2 agents', { action: 'x', type: 'pause', agents: 2 }, 'cancelled Pause for 2 agents'],
  ['view.saved', 'view Bad in eu', { q: 'level:bad tag:eu' }, 'saved the view Bad in eu: level:bad tag:eu'],
  ['view.saved', 'view All', { q: '' }, 'saved the view All, with all agents'],
  ['view.renamed', 'view Bad in eu', { from: 'Bad', q: 'level:bad' }, 'renamed the view Bad to Bad in eu'],
  ['view.removed', 'view Bad in eu', { q: 'level:bad' }, 'removed the view Bad in eu'],
  ['wish.made', 'agent mail', { of: 'blueprint', version: '1.1.0' }, 'asked mail to run 1.1.0'],
  [
    'wish.made',
    '2 agents',
    { of: 'blueprint', blueprint: 'mail', version: '1.1.0', agents: ['a', 'b'] },
    'asked 2 agents to run mail 1.1.0',
  ],
  [
    'wish.withdrawn',
    'agent mail',
    { of: 'runtime', version: '0.2.0' },
    'cancelled the request for runtime 0.2.0 from mail',
  ],
  ['hold.lifted', 'agent mail', { of: 'runtime', version: '0.2.0' }, 'lifted the hold of mail on runtime 0.2.0'],
  [
    'rollout.started',
    'blueprint mail@1.1.0',
    { agents: 12, waves: ['1', '100%'] },
    'started the rollout of mail 1.1.0 to 12 agents in 2 waves',
  ],
  ['alert.acknowledged', 'agent mail', { rule: 'silent' }, 'acknowledged the alert Offline of mail'],
  [
    'alert.acknowledged',
    'agent mail',
    { rule: 'item', item: 'Job backup' },
    'acknowledged the alert about Job backup of mail',
  ],
  ['alert.muted', 'workspace acme', { until: 5 }, 'muted acme'],
  ['alert.muted', 'agent mail', { rule: 'bad', until: null }, 'muted mail for the alert rule Level Bad'],
  [
    'alert.muted',
    'agent mail',
    { rule: 'item', item: 'Job backup', until: 5 },
    'muted mail for the health item Job backup',
  ],
  [
    'alert.unmuted',
    'agent mail',
    { rule: 'item', item: 'Job backup' },
    'lifted the mute of mail for the health item Job backup',
  ],
  ['alert.unmuted', 'agent mail', {}, 'lifted the mute of mail'],
  [
    'alert.settings_changed',
    'workspace acme',
    { detail: true },
    'allowed the details of agents in messages about alerts',
  ],
  [
    'alert.settings_changed',
    'workspace acme',
    { detail: false },
    'forbade the details of agents in messages about alerts',
  ],
  [
    'agent.hours_changed',
    'agent mail',
    { hours: 'daily 08:00-19:00 UTC' },
    'set when reports of mail are expected: daily 08:00-19:00 UTC',
  ],
  ['agent.hours_changed', 'agent mail', { hours: null }, 'set when reports of mail are expected: always'],
  ['rule.changed', 'rule silent', { after: 5 }, 'changed the alert rule Offline'],
  ['channel.added', 'channel ops', { kind: 'slack', format: 'grouped' }, 'added the slack channel ops'],
  ['delivery.retried', 'channel ops', { delivery: 'd' }, 'sent a delivery to the channel ops again'],
  ['rollout.cancelled', 'runtime 0.2.0', {}, 'cancelled the rollout of runtime 0.2.0'],
  [
    'rollout.halted',
    'blueprint mail@2.0.0',
    { why: 'On mail-1 2.0.0 was rolled back: 1.0.0 -> 2.0.0, 2026-11-27T19:46:03.000Z: it ended' },
    'halted the rollout of mail 2.0.0: on mail-1 2.0.0 was rolled back',
  ],
  [
    'rollout.halted',
    'runtime 0.2.0',
    { why: 'mail rolled it back.' },
    'halted the rollout of runtime 0.2.0: mail rolled it back.',
  ],
  [
    'workspace.limits_changed',
    'workspace north',
    { agents: 20, people: null },
    'changed the limits of north, agents: 20, people: the default',
  ],
  ['activity.folded', '7 lines', { lines: 7, since: 1 }, 'did 7 more things earlier, shown as one line'],
  ['alert.unmuted', 'agent mail', { times: 12 }, 'lifted the mute of mail, 12 times within a minute'],
  ['moon.landed', 'crater 4', { feet: 2 }, 'moon landed: crater 4 {"feet":2}'],
  ['constructor', 'x y', {}, 'constructor: x y'],
])('%s of "%s" %j reads: %4$s', (action, subject, details, words) => {
  expect(plain(entrySentence({ action, subject, details }))).toBe(words)
})

test('an agent in a sentence is a link; a deleted one is only its name', () => {
  expect(entrySentence({ action: 'agent.created', subject: 'agent a', details: {} })).toContainEqual({ agent: 'a' })
  expect(entrySentence({ action: 'agent.deleted', subject: 'agent a', details: {} })).toContainEqual({ said: 'a' })
})

test('a rollout and a version of a blueprint lead to their pages, and the name of a log is marked', () => {
  const rollout = { action: 'rollout.done', subject: 'blueprint mail@1.1.0', details: { rollout: 'r' } }
  expect(entrySentence(rollout)).toContainEqual({ rollout: 'r', words: 'mail 1.1.0' })
  const version = { blueprint: 'mail', version: '1.1.0', words: 'mail 1.1.0' }
  expect(entrySentence({ ...rollout, details: {} }), 'of an earlier version').toContainEqual(version)
  const uploaded = { action: 'blueprint.uploaded', subject: 'blueprint mail@1.1.0', details: {} }
  expect(entrySentence(uploaded)).toContainEqual(version)
  expect(entrySentence({ ...uploaded, action: 'blueprint.deleted' })).toContainEqual({ said: 'mail 1.1.0' })
  const installed = { action: 'agent.installed', subject: 'agent a', details: { blueprint: 'mail', version: '1.1.0' } }
  expect(entrySentence(installed)).toContainEqual(version)
  const read = { action: 'log.read', subject: 'agent a', details: { name: 'work' } }
  expect(entrySentence(read)).toEqual(['read the log ', { log: 'work' }, ' of ', { agent: 'a' }])
})
