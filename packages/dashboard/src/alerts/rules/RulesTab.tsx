import { Button, Checkbox, Menu } from '@mantine/core'
import type { RuleSettings } from '@svc/api'
import { alertRules, type RuleTheme, ruleThemes } from '@svc/api/words'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { read } from '../../data/queries.ts'
import { paths } from '../../paths.ts'
import { ErrorNote, Level, Section, Text } from '../../ui/index.ts'
import { AnchorLink } from '../../ui/links.tsx'
import { useOnPhone } from '../../ui/page/useOnPhone.ts'
import { WaitingPage } from '../../ui/pages/WaitingPage.tsx'
import { MuteMenu } from '../mutes/MuteMenu.tsx'
import type { AlertTabProps } from '../parts/props.ts'
import { useAlertChange } from '../parts/useAlertChange.ts'
import { audienceOf, conditionOf, followUpsOf } from '../parts/words.ts'
import { FilterFits } from './FilterFits.tsx'
import { RuleForm } from './RuleForm.tsx'
import { hasField } from './rule-form.ts'

/** The alert rules of the workspace as sentences, grouped by theme. Admins edit them in place. */
export default function RulesTab({ slug, admin }: AlertTabProps) {
  const rules = useQuery(read('GET /w/:slug/rules', { slug }))
  const channels = useQuery(read('GET /w/:slug/channels', { slug }))
  const error = rules.error ?? channels.error
  if (error) return <ErrorNote error={error} retry={() => Promise.all([rules.refetch(), channels.refetch()])} />
  if (!rules.data || !channels.data) return <WaitingPage />
  const names = channels.data.map(({ name }) => name)
  return (
    <>
      <p className="al-lead">
        A rule notifies all channels unless it says otherwise. Alerts of the level Bad are sent again after 1 hour, then
        daily, until somebody acknowledges them.{!admin && ' Only admins can change rules.'}
      </p>
      {byTheme(rules.data).map(([theme, themed]) => (
        <Section key={theme} title={theme} aside={onText(themed)} flush>
          <ul className="svc-rows" aria-label={`Rules: ${theme}`}>
            {themed.map((rule) => (
              <RuleLine key={rule.rule} slug={slug} rule={rule} channels={names} admin={admin} />
            ))}
          </ul>
        </Section>
      ))}
      <p className="svc-quiet">
        <AnchorLink to={paths.settings} params={{ slug }} fz="sm" underline="always">
          Settings
        </AnchorLink>{' '}
        say whether messages contain the detail of an agent.
      </p>
    </>
  )
}

const pageOrder = Object.keys(ruleThemes)

const byTheme = (rules: readonly RuleSettings[]): [theme: RuleTheme, rules: RuleSettings[]][] => [
  ...Map.groupBy(
    rules.toSorted((a, b) => pageOrder.indexOf(a.rule) - pageOrder.indexOf(b.rule)),
    ({ rule }) => ruleThemes[rule],
  ),
]

/** The number of rules that are on: `4 of 7 on`. */
const onText = (rules: readonly RuleSettings[]): string =>
  `${rules.filter(({ on }) => on).length} of ${rules.length} on`

interface RuleLineProps {
  slug: string
  rule: RuleSettings
  /** The names of the workspace's channels. */
  channels: readonly string[]
  admin: boolean
}

/** Shows one alert rule as a sentence. Admins can enable, disable, edit and mute the rule here. */
function RuleLine({ slug, rule, channels, admin }: RuleLineProps) {
  const [editing, setEditing] = useState(false)
  const set = useAlertChange(slug, 'Not changed', (on: boolean) =>
    call('PATCH /w/:slug/rules', { slug }, { rule: rule.rule, on }),
  )
  const name = alertRules[rule.rule].heading
  const followUps = followUpsOf(rule)
  const audience = audienceOf(rule)
  const needsLimit = hasField.limit(rule) && rule.limit === null
  const covered = { agent: null, rule: rule.rule }
  const narrow = useOnPhone()
  return (
    <li className="al-rule" data-on={rule.on}>
      <div className="al-item">
        {admin ? (
          <Checkbox
            className="al-switch"
            aria-label={`Rule “${name}”`}
            checked={set.values ?? rule.on}
            disabled={needsLimit}
            onChange={(event) => set.submit(event.currentTarget.checked)}
          />
        ) : (
          <span className="al-switch">{rule.on ? 'On' : 'Off'}</span>
        )}
        <Level level={rule.level} iconOnly />
        <strong className="al-rule-name">{name}</strong>
        <div className="al-words">
          {conditionOf(rule)}
          {audience !== null && (
            <>
              , tell <strong>{audience}</strong>
            </>
          )}
          .
          {rule.filter !== null && (
            <div>
              Only agents that fit{' '}
              <code className="al-filter">
                <Text>{rule.filter}</Text>
              </code>
              {rule.fits && <FilterFits filter={rule.filter} fits={rule.fits} />}
            </div>
          )}
          {followUps.length > 0 && <div className="svc-quiet">{followUps.join(' ')}</div>}
        </div>
        {admin && !editing && (
          <div className="al-acts">
            {narrow ? (
              <MuteMenu
                slug={slug}
                covered={covered}
                more={{
                  label: `More about the rule “${name}”`,
                  items: <Menu.Item onClick={() => setEditing(true)}>Edit</Menu.Item>,
                }}
                mutes={rule.on}
              />
            ) : (
              <>
                {rule.on && <MuteMenu slug={slug} covered={covered} />}
                <Button
                  variant="default"
                  size="compact-sm"
                  onClick={() => setEditing(true)}
                  aria-label={`${needsLimit ? 'Set a limit for' : 'Edit'} the rule “${name}”`}
                >
                  {needsLimit ? 'Set a limit…' : 'Edit'}
                </Button>
              </>
            )}
          </div>
        )}
      </div>
      {editing && <RuleForm slug={slug} rule={rule} channels={channels} onDone={() => setEditing(false)} />}
    </li>
  )
}
