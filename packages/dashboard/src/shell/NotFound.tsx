import { useContext } from 'react'
import { FrameOf } from '../data/workspace.ts'
import { NotFoundNote, NotFoundPage } from '../ui/pages/NotFoundPage.tsx'
import { LastWorkspace } from './LastWorkspace.tsx'

/** Says that there is no such page, in the frame of a workspace if somebody is signed in. */
export function NotFound() {
  const slug = useContext(FrameOf)
  if (slug !== '') return <NotFoundNote slug={slug} />
  return (
    <LastWorkspace otherwise={<NotFoundPage />}>
      <NotFound />
    </LastWorkspace>
  )
}
