import { NativeSelect, TextInput } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { costDays } from '../../paths.ts'
import { type CostSearch, costSplitChoices, costStepChoices, stepFor } from './costs.ts'

const route = getRouteApi('/signed-in/w/$slug/cost')

const timeWords = { 7: '7 days', 30: '30 days', 90: '90 days', 400: '400 days' } as const
const stepWords = { day: 'Day', week: 'Week', month: 'Month' } as const
/** The labels of the choices under “Split by”. */
export const splitWords = { model: 'Model', agent: 'Agent', blueprint: 'Blueprint', nothing: 'Nothing' } as const
const ownDates = 'dates'

/** The inputs above the chart of costs: the period, the step and the split. The choices are kept in the address. */
export function CostChoices({ search, first }: { search: CostSearch; first: string }) {
  const navigate = route.useNavigate()
  const go = (change: { [K in keyof CostSearch]?: CostSearch[K] | undefined }) =>
    void navigate({
      search: (before) =>
        Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, v]) => v !== undefined)) as CostSearch,
      replace: true,
      resetScroll: false,
    })
  const hasDates = search.from !== undefined || search.to !== undefined
  return (
    <search className="cost-choices">
      <NativeSelect
        label="Time"
        value={hasDates ? ownDates : (search.days ?? costDays[0])}
        data={[
          ...costDays.toSorted((a, b) => Number(a) - Number(b)).map((value) => ({ value, label: timeWords[value] })),
          { value: ownDates, label: 'Other dates' },
        ]}
        onChange={({ currentTarget: { value } }) => {
          if (value === ownDates) go({ days: undefined, from: first })
          else go({ days: costDays.find((days) => days === value), from: undefined, to: undefined })
        }}
      />
      {hasDates && (
        <>
          <DateInput label="From" value={search.from ?? first} onSet={(from) => from !== '' && go({ from })} />
          <DateInput label="To" value={search.to ?? ''} onSet={(to) => go({ to: to || undefined })} />
        </>
      )}
      <NativeSelect
        label="By"
        value={search.by ?? stepFor(search)}
        data={costStepChoices.map((value) => ({ value, label: stepWords[value] }))}
        onChange={({ currentTarget: { value } }) => go({ by: costStepChoices.find((step) => step === value) })}
      />
      <NativeSelect
        label="Split by"
        value={search.per ?? costSplitChoices[0]}
        data={costSplitChoices.map((value) => ({ value, label: splitWords[value] }))}
        onChange={({ currentTarget: { value } }) => go({ per: costSplitChoices.find((split) => split === value) })}
      />
    </search>
  )
}

/**
 * A field for a date. A date that is typed changes with each digit of its year, so it is set when the person leaves the
 * field or presses Enter; one that is picked from the calendar is set at once.
 */
function DateInput({ label, value, onSet }: { label: string; value: string; onSet: (date: string) => void }) {
  const isTyped = useRef(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (field.current) field.current.value = value
  }, [value])
  const set = (input: HTMLInputElement) => {
    isTyped.current = false
    if (input.value !== value) onSet(input.value)
  }
  return (
    <TextInput
      ref={field}
      label={label}
      type="date"
      defaultValue={value}
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'Enter') set(currentTarget)
        else isTyped.current = true
      }}
      onPointerDown={() => {
        isTyped.current = false
      }}
      onChange={({ currentTarget }) => !isTyped.current && set(currentTarget)}
      onBlur={({ currentTarget }) => set(currentTarget)}
    />
  )
}
