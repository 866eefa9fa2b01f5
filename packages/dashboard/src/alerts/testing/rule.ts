import type { RuleSettings } from '@svc/api'

/** The rule `silent` with its defaults, for tests. */
export const rule = (more: Partial<RuleSettings> = {}): RuleSettings => ({
  rule: 'silent',
  on: true,
  after: 600,
  level: 'bad',
  limit: null,
  statuses: null,
  channels: null,
  reminds: true,
  filter: null,
  escalation: null,
  ...more,
})
