/** Pages that belong to no workspace, in the frame of the workspace that was open last. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useContext, useState } from 'react'
import { meQuery, read } from '../data/queries.ts'
import { previousWorkspace } from '../data/returning.ts'
import { ShellWorkspace } from '../data/workspace.ts'
import { NotFoundNote, NotFoundPage } from '../ui/pages/NotFoundPage.tsx'
import { WaitingPage } from '../ui/pages/WaitingPage.tsx'
import { WorkspaceShell } from './WorkspaceShell.tsx'

interface LastWorkspaceProps {
  /** The content of the frame. */
  children: ReactNode
  /** Shown in place of the frame if nobody is signed in, or if there is no workspace that can be loaded. */
  otherwise: ReactNode
}

/** The frame of the workspace that was open last, around a page that belongs to no workspace. */
export function LastWorkspace({ children, otherwise }: LastWorkspaceProps) {
  // `me` is in the cache from the start if somebody is signed in (App.tsx), so no request is needed.
  const { data: me } = useQuery({ ...meQuery, enabled: false })
  const [slug] = useState(() => me && previousWorkspace(me.workspaces))
  const { data: workspace, isLoading } = useQuery({
    ...read('GET /w/:slug', { slug: slug ?? '' }),
    enabled: slug !== undefined,
  })
  if (isLoading) return <WaitingPage />
  if (slug === undefined || !workspace || !me?.workspaces.some((one) => one.slug === slug)) return otherwise
  return (
    <ShellWorkspace value={slug}>
      <WorkspaceShell>{children}</WorkspaceShell>
    </ShellWorkspace>
  )
}

/** Says that there is no such page, in the frame of a workspace if somebody is signed in. */
export function NotFound() {
  const slug = useContext(ShellWorkspace)
  if (slug !== '') return <NotFoundNote slug={slug} />
  return (
    <LastWorkspace otherwise={<NotFoundPage />}>
      <NotFound />
    </LastWorkspace>
  )
}
