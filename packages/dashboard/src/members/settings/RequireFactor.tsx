import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Members } from '@svc/api'
import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../data/api.ts'
import { queryKeys } from '../../data/queries.ts'
import { paths, secondFactorPart } from '../../paths.ts'
import { useChange } from '../../ui/dialogs/useChange.ts'
import { fromLocalTime, localDayOf } from '../../ui/forms/local-time.ts'
import { ErrorNote, Section, serviceNow, Text, useFocusedPart } from '../../ui/index.ts'
import { AnchorLink } from '../../ui/links.tsx'
import { dateAndTime } from '../../ui/time/relative.ts'

/** The milliseconds that admins have to add a second factor, unless another day is chosen. */
const noticeMs = 7 * 86_400_000

interface RequireFactorProps {
  slug: string
  from: number | null
  members: Members['members']
}

/** Shows whether admins of the workspace need a second factor and who has one, with a form that changes it. */
export function RequireFactor({ slug, from, members }: RequireFactorProps) {
  const client = useQueryClient()
  const form = useForm({
    initialValues: { day: localDayOf(from !== null && from > serviceNow() ? from : serviceNow() + noticeMs) },
    validate: { day: (typed) => wrongWithDay(typed, serviceNow()) },
  })
  const { busy, error, submit } = useChange(async (at: number | null) => {
    await call('PATCH /w/:slug', { slug }, { factorFrom: at })
    await Promise.all([
      client.invalidateQueries({ queryKey: queryKeys.workspace(slug) }),
      client.invalidateQueries({ queryKey: queryKeys.me }),
    ])
  })
  const isDue = from !== null && from <= serviceNow()
  const part = useFocusedPart<HTMLDivElement>(isDue ? 'due' : from !== null ? 'soon' : 'none')
  const isMine = members.some(({ self, factor }) => self && factor === false)
  return (
    <div className="svc-focused-part" ref={part} tabIndex={-1}>
      <Section title="Second factor" aside="For admins.">
        <Stack gap="sm">
          <div>
            {requirementInWords(from, serviceNow())} <Text>{adminsWithoutFactorText(members)}</Text>{' '}
            {isMine && (
              <AnchorLink to={paths.account} hash={secondFactorPart} inherit underline="always">
                Add yours
              </AnchorLink>
            )}
          </div>
          <form onSubmit={form.onSubmit(({ day }) => submit(requiredFrom(day, serviceNow())))} noValidate>
            <Group align="flex-end" gap="xs">
              {!isDue && (
                <>
                  <TextInput
                    type="date"
                    label={from === null ? 'Starting' : 'Required from'}
                    min={localDayOf(serviceNow())}
                    {...form.getInputProps('day')}
                  />
                  <Button type="submit" variant="default" loading={busy}>
                    {from === null ? 'Require a second factor' : 'Change day'}
                  </Button>
                </>
              )}
              {from !== null && (
                <Button variant="default" loading={busy} onClick={() => submit(null)}>
                  End requirement
                </Button>
              )}
            </Group>
          </form>
          {error !== null && <ErrorNote error={error} />}
        </Stack>
      </Section>
    </div>
  )
}

type Member = Pick<Members['members'][number], 'name' | 'role' | 'self' | 'factor'>

/** Says why a factor cannot be required from this day; null if it can. */
export function wrongWithDay(typed: string, now: number): string | null {
  if (beginOf(typed) === undefined) return 'Enter a date.'
  return typed < localDayOf(now) ? 'This day is past. Choose today, and it holds at once.' : null
}

/** Returns when the requirement begins if a person chose this day: at midnight, or now if the day is today. */
export const requiredFrom = (typed: string, now: number): number => Math.max(beginOf(typed) ?? now, now)

const beginOf = (typed: string): number | undefined => {
  const seconds = fromLocalTime(`${typed}T00:00`)
  return seconds === undefined ? undefined : seconds * 1000
}

/** Says since when, or from when, admins need a second factor. */
export function requirementInWords(from: number | null, now: number): string {
  if (from === null) return 'Admins may sign in with a password alone.'
  return from > now
    ? `From ${dateAndTime(from, now)} on, admins need a second factor. Without one they then have the rights of a member.`
    : `Admins have needed a second factor since ${dateAndTime(from, now)}. Without one they have the rights of a member.`
}

/** Says which admins have no second factor, so that nobody is surprised when one is required. */
export function adminsWithoutFactorText(members: readonly Member[]): string {
  const admins = members.filter(({ role }) => role === 'admin')
  const withoutFactor = admins.filter(({ factor }) => factor === false)
  if (withoutFactor.length === 0)
    return admins.length === 1 ? 'You have a second factor.' : 'All admins have a second factor.'
  const others = withoutFactor.filter(({ self }) => !self).map(({ name }) => name)
  const names = withoutFactor.some(({ self }) => self) ? ['you', ...others] : others
  const shown = names.length > maxNames ? [...names.slice(0, maxNames), `${names.length - maxNames} more`] : names
  return `Without a second factor: ${list.format(shown)}.`
}

/** The number of names that are listed before the rest is only counted. */
const maxNames = 5
const list = new Intl.ListFormat('en-GB')
