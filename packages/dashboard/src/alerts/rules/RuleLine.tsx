import { Button, Checkbox } from '@mantine/core'
import type { RuleSettings } from '@svc/api'
import { alertRules } from '@svc/api/words'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { Level } from '../../ui/index.ts'
import { MuteMenu } from '../mutes/MuteMenu.tsx'
import { useAlertChange } from '../parts/useAlertChange.ts'
import { audienceOf, conditionOf, followUpsOf } from '../parts/words.ts'
import { RuleForm } from './RuleForm.tsx'
import { has } from './rule-form.ts'

interface RuleLineProps {
  slug: string
  rule: RuleSettings
  /** The names of the workspace's channels. */
  channels: readonly string[]
  admin: boolean
}

/** Shows one alert rule as a sentence. Admins can enable, disable, edit and mute the rule here. */
export function RuleLine({ slug, rule, channels, admin }: RuleLineProps) {
  const [editing, setEditing] = useState(false)
  const set = useAlertChange(slug, 'Not changed', (on: boolean) =>
    call('PATCH /w/:slug/rules', { slug }, { rule: rule.rule, on }),
  )
  const name = alertRules[rule.rule].heading
  const followUps = followUpsOf(rule)
  const needsLimit = has.limit(rule) && rule.limit === null
  return (
    <li className="al-rule" data-on={rule.on}>
      <div className="al-item">
        {admin ? (
          <Checkbox
            className="al-switch"
            aria-label={`Rule “${name}”`}
            checked={set.isPending ? (set.variables ?? rule.on) : rule.on}
            disabled={needsLimit}
            onChange={(event) => set.mutate(event.currentTarget.checked)}
          />
        ) : (
          <span className="al-switch">{rule.on ? 'On' : 'Off'}</span>
        )}
        <div className="al-words">
          {rule.on ? 'Tell ' : 'Would tell '}
          <strong>{audienceOf(rule)}</strong> {conditionOf(rule)}.
          <span className="al-rule-level">
            <Level level={rule.level} iconOnly />
          </span>
          {followUps.length > 0 && <div className="svc-quiet">{followUps.join(' ')}</div>}
        </div>
        {admin && !editing && (
          <div className="al-acts">
            {rule.on && <MuteMenu slug={slug} covered={{ agent: null, rule: rule.rule }} iconOnly />}
            <Button
              variant="default"
              size="compact-sm"
              onClick={() => setEditing(true)}
              aria-label={`Edit the rule “${name}”`}
            >
              Edit
            </Button>
          </div>
        )}
      </div>
      {editing && <RuleForm slug={slug} rule={rule} channels={channels} onDone={() => setEditing(false)} />}
    </li>
  )
}
