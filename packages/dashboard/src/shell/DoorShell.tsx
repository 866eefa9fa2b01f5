import { Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useDocumentTitle } from '../ui/index.ts'
import { useFrame } from './frame.ts'
import { Logo } from './Mark.tsx'

/** The frame around pages outside a workspace, such as sign-in, first start, links and invitations. */
export function DoorShell({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) {
  useDocumentTitle(title)
  useFrame('door')
  return (
    <main className="svc-door">
      <div className="svc-door-card">
        <Logo />
        <Title order={1} fz={20} mt={20} mb={note ? 4 : 16}>
          {title}
        </Title>
        {note && <div className="svc-door-note">{note}</div>}
        {children}
      </div>
    </main>
  )
}
