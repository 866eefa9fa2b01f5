import './history.css'
import { Button, NativeSelect, TextInput } from '@mantine/core'
import type { AlertLevel, RuleName } from '@svc/api'
import { alertRules, ruleNames } from '@svc/api/words'
import { IconAdjustmentsHorizontal, IconSearch } from '@tabler/icons-react'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useAddressText } from '../../ui/forms/useAddressText.ts'

/** The filter of alerts in the page's address: words, a rule and a level. */
export interface AlertsShown {
  q?: string
  rule?: RuleName
  level?: AlertLevel
}

const route = getRouteApi('/signed-in/w/$slug/alerts')

/**
 * Returns a function that changes parameters of the page's address, such as the filter. Undefined removes a parameter.
 */
export function useAlertsAddress() {
  const navigate = route.useNavigate()
  return (change: Readonly<Record<string, string | undefined>>) =>
    void navigate({
      search: (before) =>
        Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== undefined)),
      replace: true,
      resetScroll: false,
    })
}

/** Reads the filter from the page's address. Unknown rules are ignored. */
export function useAlertsShown(): AlertsShown {
  const { q, rule: named, level } = route.useSearch()
  const rule = ruleNames.find((name) => name === named)
  return { ...(q !== undefined && { q }), ...(rule && { rule }), ...(level && { level }) }
}

/** The time between the last key and the search for the typed words, in milliseconds. */
const searchDelayMs = 300

/** The inputs of the filter of alerts, which is kept in the page's address. */
export function AlertFilter() {
  const { q = '', rule, level } = useAlertsShown()
  const show = useAlertsAddress()
  const { typed, type } = useAddressText({
    text: q,
    pauseAfter: () => searchDelayMs,
    tell: (text) => show({ q: text || undefined }),
  })
  /** True while a phone shows the choices of a rule and a level. Wider windows always show them. */
  const [more, setMore] = useState(rule !== undefined || level !== undefined)
  return (
    <search className="al-shown" data-more={more}>
      <TextInput
        type="search"
        aria-label="Find alerts"
        placeholder="Agent, item or words"
        leftSection={<IconSearch size={15} aria-hidden />}
        maxLength={200}
        value={typed}
        onChange={({ currentTarget: { value } }) => type(value)}
      />
      <Button
        className="al-shown-more"
        variant="default"
        aria-expanded={more}
        onClick={() => setMore(!more)}
        leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
      >
        Filter
      </Button>
      <NativeSelect
        className="al-shown-part"
        aria-label="Rule"
        value={rule ?? ''}
        data={[
          { value: '', label: 'All rules' },
          ...ruleNames.map((name) => ({ value: name, label: alertRules[name].heading })),
        ]}
        onChange={({ currentTarget: { value } }) => show({ rule: value || undefined })}
      />
      <NativeSelect
        className="al-shown-part"
        aria-label="Level"
        value={level ?? ''}
        data={[
          { value: '', label: 'All levels' },
          { value: 'bad', label: 'Bad' },
          { value: 'warn', label: 'Warning' },
        ]}
        onChange={({ currentTarget: { value } }) => show({ level: value || undefined })}
      />
    </search>
  )
}
