import { Button, Stack } from '@mantine/core'
import { IconChevronRight, IconSend } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { meQuery } from '../data/queries.ts'
import { useSignOut } from '../data/session.ts'
import { paths } from '../paths.ts'
import { Empty, Text } from '../ui/index.ts'
import { ButtonLink } from '../ui/links.tsx'
import { DoorShell } from './DoorShell.tsx'

/** The page that lists the person's workspaces. If there is only one, the router skips this page. */
export function HomePage() {
  const { data: me } = useSuspenseQuery(meQuery)
  const signOut = useSignOut()
  return (
    <DoorShell title="Your workspaces">
      {me.workspaces.length === 0 ? (
        <Empty icon={IconSend} title="You are not in a workspace yet" help="page#people">
          Ask a workspace admin to invite <Text>{me.email}</Text>.
        </Empty>
      ) : (
        <ul className="svc-choices">
          {me.workspaces.map(({ slug, name, role }) => (
            <li key={slug}>
              <Link to={paths.fleet} params={{ slug }}>
                <span>
                  <strong>
                    <Text cut>{name}</Text>
                  </strong>
                  <span className="svc-quiet">{role === 'admin' ? 'Admin' : 'Member'}</span>
                </span>
                <IconChevronRight size={17} aria-hidden />
              </Link>
            </li>
          ))}
        </ul>
      )}
      <Stack mt="md" gap="xs">
        <ButtonLink to={paths.account} variant="subtle" color="gray">
          My account
        </ButtonLink>
        <Button variant="subtle" color="gray" onClick={() => void signOut()}>
          Sign out
        </Button>
      </Stack>
    </DoorShell>
  )
}
