import { Button, Code, Group } from '@mantine/core'
import { IconMoodConfuzed, IconPlugConnectedX } from '@tabler/icons-react'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { ApiError } from '../data/api.ts'
import { FilesMissing, loadAgain } from '../ui/files.tsx'
import { mayDrawAgain } from '../ui/foreign-changes.ts'
import { Empty, useDocumentTitle } from '../ui/index.ts'
import { WaitingPage } from '../ui/pages/WaitingPage.tsx'
import { NotFound } from './OutsidePages.tsx'

/**
 * Takes the place of a page that could not be loaded or drawn. Draws the page again if another program changed its
 * nodes, and loads it again if its files are gone; otherwise, or if that fails, shows the error.
 */
export function BrokenPage(props: ErrorComponentProps) {
  const { reset } = props
  const error: unknown = props.error
  const router = useRouter()
  const [repairing, setRepairing] = useState(() =>
    error instanceof FilesMissing ? 'files' : mayDrawAgain(error, performance.now()) ? 'nodes' : undefined,
  )
  useEffect(() => {
    if (repairing === 'nodes') reset()
    if (repairing !== 'files') return
    const { href } = router.latestLocation
    void loadAgain(href, error instanceof FilesMissing ? error.cause : undefined).then(
      (done) => done || setRepairing(undefined),
    )
  }, [repairing, reset, router, error])
  return repairing ? <WaitingPage /> : <BrokenPart {...props} />
}

function BrokenPart({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const known = error instanceof ApiError || error instanceof FilesMissing
  const status = error instanceof ApiError ? error.status : undefined
  const hasEnded = status === 401
  useDocumentTitle(hasEnded ? 'Sign in' : 'Something went wrong')
  if (status === 404) return <NotFound />
  // The session has ended, and the sign-in page is being opened.
  if (hasEnded) return <WaitingPage />
  const again = async () => {
    await router.invalidate()
    reset()
  }
  return (
    <main>
      <Empty
        order={1}
        icon={known ? IconPlugConnectedX : IconMoodConfuzed}
        title={known ? 'This page could not be loaded' : 'Something went wrong on this page'}
        help={null}
        action={
          <Group justify="center" gap="xs">
            <Button onClick={() => void again()}>Try again</Button>
            <Button variant="default" onClick={() => window.location.reload()}>
              Reload
            </Button>
          </Group>
        }
      >
        {known ? error.message : 'Something broke on our side. Your agents aren’t affected.'}
        {!known && (
          <Code block mt="sm" ta="start">
            {error instanceof Error ? error.message : String(error)}
          </Code>
        )}
      </Empty>
    </main>
  )
}
