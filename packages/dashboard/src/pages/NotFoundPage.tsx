import { IconMapQuestion } from '@tabler/icons-react'
import { ButtonLink } from '../links.tsx'
import { paths } from '../paths.ts'
import { Empty, useDocumentTitle } from '../ui/index.ts'

export function NotFoundPage() {
  useDocumentTitle('Not found')
  return (
    <main>
      <Empty
        order={1}
        icon={IconMapQuestion}
        title="There is nothing at this address"
        action={
          <ButtonLink to={paths.home} variant="default">
            Go to your agents
          </ButtonLink>
        }
      >
        It may have been renamed or deleted, or it belongs to a workspace that you are not a member of.
      </Empty>
    </main>
  )
}
