import { IconMapQuestion } from '@tabler/icons-react'
import { paths } from '../../paths.ts'
import { Empty, Text, useDocumentTitle } from '../index.ts'
import { ButtonLink } from '../links.tsx'

/** Says that there is no such page. `slug` names the workspace; it is missing outside of a workspace. */
export function NotFoundNote({ slug }: { slug?: string }) {
  useDocumentTitle('Not found')
  return (
    <Empty
      order={1}
      icon={IconMapQuestion}
      title="Page not found"
      help={null}
      action={
        <ButtonLink {...(slug === undefined ? { to: paths.home } : { to: paths.fleet, params: { slug } })}>
          Back to agents
        </ButtonLink>
      }
    >
      There is nothing for you at <Text mono>{window.location.pathname}</Text>. It may have been renamed or deleted, or
      you are not a member of its workspace.
    </Empty>
  )
}

export const NotFoundPage = () => (
  <main>
    <NotFoundNote />
  </main>
)
