import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Members } from '@svc/api'
import { useQueryClient } from '@tanstack/react-query'
import { call } from '../data/api.ts'
import { keys } from '../data/queries.ts'
import { paths, secondFactorPart } from '../paths.ts'
import { dayOf } from '../ui/forms/local-time.ts'
import { useSubmit } from '../ui/forms/useSubmit.ts'
import { ErrorNote, serviceNow, Text, useFocusedPart } from '../ui/index.ts'
import { AnchorLink } from '../ui/links.tsx'
import { lackingInWords, requiredFrom, requirementInWords, wrongDay } from './requirement.ts'

/** The milliseconds that admins have to add a second factor, unless another day is chosen. */
const notice = 7 * 86_400_000

interface RequireFactorProps {
  slug: string
  from: number | null
  members: Members['members']
}

/** Shows whether admins of the workspace need a second factor and who has one, with a form that changes it. */
export function RequireFactor({ slug, from, members }: RequireFactorProps) {
  const client = useQueryClient()
  const form = useForm({
    initialValues: { day: dayOf(from !== null && from > serviceNow() ? from : serviceNow() + notice) },
    validate: { day: (typed) => wrongDay(typed, serviceNow()) },
  })
  const { busy, error, submit } = useSubmit(async (at: number | null) => {
    await call('PATCH /w/:slug', { slug }, { factorFrom: at })
    await Promise.all([
      client.invalidateQueries({ queryKey: keys.workspace(slug) }),
      client.invalidateQueries({ queryKey: keys.me }),
    ])
  })
  const isDue = from !== null && from <= serviceNow()
  const part = useFocusedPart(isDue ? 'due' : from !== null ? 'soon' : 'none')
  const isMine = members.some(({ self, factor }) => self && factor === false)
  return (
    <section className="people-section svc-focused-part" ref={part} tabIndex={-1}>
      <h2>Second factor</h2>
      <Stack gap="sm">
        <div>
          {requirementInWords(from, serviceNow())} <Text>{lackingInWords(members)}</Text>{' '}
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
                  label={from === null ? 'Require one from' : 'Required from'}
                  min={dayOf(serviceNow())}
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
    </section>
  )
}
