import { Button, Group, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { useSubmit } from '../../forms/useSubmit.ts'
import { keys } from '../../queries.ts'
import { dateAndTime, ErrorNote, serviceNow } from '../../ui/index.ts'

/** The milliseconds that admins have to add a second factor when the workspace begins to require one. */
const notice = 7 * 86_400_000

/** Shows whether admins of the workspace need a second factor, with a button that changes it. */
export function RequireFactor({ slug, from }: { slug: string; from: number | null }) {
  const client = useQueryClient()
  const { busy, error, submit } = useSubmit(async (at: number | null) => {
    await api.requireFactor(slug, at)
    await Promise.all([
      client.invalidateQueries({ queryKey: keys.workspace(slug) }),
      client.invalidateQueries({ queryKey: keys.me }),
    ])
  })
  return (
    <section className="people-section">
      <h2>Second factor</h2>
      <Stack gap="sm">
        <div>
          {from === null ? (
            'Admins may sign in with a password alone.'
          ) : (
            <>
              Admins need a second factor, from {dateAndTime(from, serviceNow())} on. Without one they have the rights
              of a member.
            </>
          )}
        </div>
        {error !== null && <ErrorNote error={error} />}
        <Group>
          {from === null ? (
            <Button variant="default" loading={busy} onClick={() => submit(serviceNow() + notice)}>
              Require one in 7 days
            </Button>
          ) : (
            <Button variant="default" loading={busy} onClick={() => submit(null)}>
              End the requirement
            </Button>
          )}
        </Group>
      </Stack>
    </section>
  )
}
