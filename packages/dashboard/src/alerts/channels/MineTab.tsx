import { Button, Checkbox, Group, Select, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ChannelPace, PersonalChannelRow } from '@svc/api'
import { alertRules, ruleNames } from '@svc/api/words'
import { trimInvisible } from '@svc/protocol'
import { IconUserCircle } from '@tabler/icons-react'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { meQuery, read } from '../../data/queries.ts'
import { useChange } from '../../ui/dialogs/useChange.ts'
import { Empty, ErrorNote, Section, Text } from '../../ui/index.ts'
import { QueryState } from '../../ui/pages/QueryState.tsx'
import { DaysField, TimesFields, ZoneField } from '../parts/HoursFields.tsx'
import { dayNames, daysText, timesText, weekDays } from '../parts/hours.ts'
import type { AlertTabProps } from '../parts/props.ts'
import { useAlertChange, useReloadAlerts } from '../parts/useAlertChange.ts'
import { ChannelState, DisabledBecause, LastAnswer, TestButton, TestResult } from './ChannelParts.tsx'
import { kindName } from './channel-kinds.ts'
import { NotifyButtons } from './NotifyButtons.tsx'
import { useChannelTest } from './useChannelTest.ts'

/** The personal channels of the signed-in person in this workspace. */
export default function MineTab({ slug }: AlertTabProps) {
  const query = useQuery(read('GET /w/:slug/my-channels', { slug }))
  const { data } = query
  const { data: me } = useSuspenseQuery(meQuery)
  if (!data) return <QueryState of={query} />
  if (data.length === 0)
    return (
      <Empty
        icon={IconUserCircle}
        title="You are not notified yet"
        action={<NotifyButtons slug={slug} isMain />}
        help="alerts#notify-a-browser"
      >
        Get the alerts you choose, in this browser{me.mails && ' or by email'} too.
      </Empty>
    )
  const hasEmail = data.some(({ kind, enabled }) => kind === 'email' && enabled)
  return (
    <Section title="My channels" aside={<NotifyButtons slug={slug} hasEmail={hasEmail} />} flush>
      <ul className="svc-rows" aria-label="My channels">
        {data.map((channel) => (
          <MyChannel key={channel.name} slug={slug} channel={channel} />
        ))}
      </ul>
    </Section>
  )
}

/** Shows one personal channel of the signed-in person, and which alerts are sent to it and when. */
function MyChannel({ slug, channel }: { slug: string; channel: PersonalChannelRow }) {
  const { name, kind, address, disabledBecause, lastAnswer, lastAt } = channel
  const [editing, setEditing] = useState(false)
  const test = useChannelTest(slug, {
    send: () => call('POST /w/:slug/my-channels/:channel/test', { slug, channel: name }),
    follow: (id) => call('GET /w/:slug/my-channels/:channel/tests/:id', { slug, channel: name, id }),
  })
  return (
    <li>
      <div className="al-item">
        <div className="al-words">
          <div className="al-name">
            <strong>{name}</strong>
            <span>{kindName(kind)}</span>
            <ChannelState {...channel} />
          </div>
          <div>{choicesSentence(channel)}</div>
          <div className="svc-quiet">
            <Text>{address ?? ''}</Text>
          </div>
          <DisabledBecause reason={disabledBecause} />
          {disabledBecause !== null && kind === 'push' && (
            <p className="al-note">
              Open this page in that browser and choose “Notify this browser”. Then remove this channel.
            </p>
          )}
          {lastAt !== null && (
            <div className="svc-quiet">
              <LastAnswer at={lastAt} answer={lastAnswer} />
            </div>
          )}
          <div role="status">{test.value && <TestResult {...test.value} />}</div>
        </div>
        {!editing && (
          <div className="al-acts">
            <TestButton channel={name} busy={test.busy} onTest={() => test.submit()} />
            <Button variant="default" size="compact-sm" onClick={() => setEditing(true)} aria-label={`Edit ${name}`}>
              Edit
            </Button>
          </div>
        )}
      </div>
      {editing && <MyChannelForm slug={slug} channel={channel} onDone={() => setEditing(false)} />}
    </li>
  )
}

interface MyChannelFormProps {
  slug: string
  channel: PersonalChannelRow
  onDone: () => void
}

/** The names of the days by their numbers, 1 for Monday. Quiet hours are stored with these numbers. */
const days = Object.fromEntries(Object.values(dayNames).map((name, i) => [String(i + 1), name]))
const allDays = Object.keys(days)

/** A form in which people choose which alerts reach one of their personal channels, and when. */
function MyChannelForm({ slug, channel, onDone }: MyChannelFormProps) {
  const again = useReloadAlerts(slug)
  const remove = useAlertChange(slug, 'Not removed', () =>
    call('DELETE /w/:slug/my-channels/:channel', { slug, channel: channel.name }),
  )
  const form = useForm({ initialValues: valuesOf(channel) })
  const { busy, error, submit } = useChange(async (values: ReturnType<typeof valuesOf>) => {
    const { enabled, every, rules, pace, isQuiet, quietDays, from, to, badPasses, zone } = values
    await call(
      'PATCH /w/:slug/my-channels/:channel',
      { slug, channel: channel.name },
      {
        enabled,
        rules: every ? null : rules,
        pace: pace as ChannelPace,
        quiet: isQuiet ? { days: quietDays.map(Number).toSorted((a, b) => a - b), from, to } : null,
        badPasses,
        zone: trimInvisible(zone),
      },
    )
    await again()
    onDone()
  })
  const check = { type: 'checkbox' } as const
  return (
    <form className="al-form" onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="sm">
        <Checkbox label="Send to this channel" {...form.getInputProps('enabled', check)} />
        <Select
          label="When"
          maw={300}
          allowDeselect={false}
          data={Object.entries(paceWords).map(([value, label]) => ({ value, label }))}
          {...form.getInputProps('pace')}
        />
        <Checkbox label="Every alert" {...form.getInputProps('every', check)} />
        {!form.values.every && (
          <Checkbox.Group label="Only these" {...form.getInputProps('rules')}>
            <Group gap="sm" mt={6}>
              {ruleNames.map((rule) => (
                <Checkbox key={rule} value={rule} label={alertRules[rule].heading} />
              ))}
            </Group>
          </Checkbox.Group>
        )}
        <Checkbox
          label="Quiet hours"
          description="Messages wait until they end."
          {...form.getInputProps('isQuiet', check)}
        />
        {form.values.isQuiet && (
          <>
            <TimesFields from={form.getInputProps('from')} to={form.getInputProps('to')} />
            <DaysField label="Days on which they begin" days={days} field={form.getInputProps('quietDays')} />
            <Checkbox label="Send alerts of the level Bad even then" {...form.getInputProps('badPasses', check)} />
          </>
        )}
        <ZoneField field={form.getInputProps('zone')} />
        {error !== null && <ErrorNote error={error} />}
        <Group gap="xs">
          <Button type="submit" size="xs" loading={busy}>
            Save channel
          </Button>
          <Button variant="default" size="xs" onClick={onDone}>
            Cancel
          </Button>
          <Button
            variant="subtle"
            color="red"
            size="xs"
            ms="auto"
            loading={remove.busy}
            onClick={() => remove.submit()}
          >
            Remove channel
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const valuesOf = ({ enabled, rules, pace, quiet, badPasses, zone }: PersonalChannelRow) => ({
  enabled,
  every: rules === null,
  rules: rules ?? [...ruleNames],
  pace: pace as string,
  isQuiet: quiet !== null,
  quietDays: quiet?.days.map(String) ?? allDays,
  from: quiet?.from ?? '22:00',
  to: quiet?.to ?? '07:00',
  badPasses,
  zone,
})

/** The words for how often the service sends messages to a personal channel. */
const paceWords: Readonly<Record<ChannelPace, string>> = {
  at_once: 'at once',
  daily: 'once a day, at 08:00',
  weekly: 'once a week, on Monday at 08:00',
}

type Choices = Pick<PersonalChannelRow, 'rules' | 'pace' | 'quiet' | 'badPasses' | 'zone'>

/**
 * Says in a sentence which alerts a personal channel gets and when, such as `Sent at once: Offline, Level Bad. Quiet
 * every day from 22:00 to 07:00 of the next day (Europe/Berlin).`
 */
export function choicesSentence({ rules, pace, quiet, badPasses, zone }: Choices): string {
  const what = rules === null ? 'every alert' : rules.map((rule) => alertRules[rule].heading).join(', ') || 'nothing'
  const sent = `Sent ${paceWords[pace]}: ${what}.`
  if (!quiet) return sent
  const days = daysText(quiet.days.map((day) => weekDays[day - 1] ?? ''))
  return `${sent} Quiet ${days} ${timesText(quiet)} (${zone})${badPasses ? ', except for Bad' : ''}.`
}
