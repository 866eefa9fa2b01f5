import { IconMapQuestion } from '@tabler/icons-react'
import { paths } from '../../paths.ts'
import { Empty, useDocumentTitle } from '../index.ts'
import { ButtonLink } from '../links.tsx'

export function NotFoundPage() {
  useDocumentTitle('Not found')
  return (
    <main>
      <Empty
        order={1}
        icon={IconMapQuestion}
        title="Page not found"
        help={null}
        action={
          <ButtonLink to={paths.home} variant="default">
            Back to agents
          </ButtonLink>
        }
      >
        It may have been renamed or deleted, or you are not a member of its workspace.
      </Empty>
    </main>
  )
}
