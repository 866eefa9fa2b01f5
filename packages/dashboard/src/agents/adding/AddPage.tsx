/**
 * The page to add an agent, in three steps: a choice of what the agent is, one block to paste on the agent's machine,
 * and the first report. The agent is made at the end of the first step. Its token is in the block, and is shown only
 * once.
 */
import type { NewToken } from '@svc/api'
import { getRouteApi, useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { useWorkspace } from '../../data/workspace.ts'
import { paths } from '../../paths.ts'
import { PageHeader, useDocumentTitle, useFocusedPart } from '../../ui/index.ts'
import { AnchorLink, ButtonLink } from '../../ui/links.tsx'
import { Connect } from './Connect.tsx'
import { type WhatToAdd, WhatToWatch } from './What.tsx'
import './add.css'

/** The data of the history entry that shows a token. */
interface AddedEntry {
  /** The name of the agent. The entry does not hold the token, so another visit or a reload shows none. */
  added?: string | undefined
}

declare module '@tanstack/history' {
  interface HistoryState extends AddedEntry {}
}

const route = getRouteApi('/signed-in/w/$slug/add')

export function AddPage() {
  const { slug } = route.useParams()
  const { what = 'program' } = route.useSearch()
  const { role } = useWorkspace()
  const navigate = route.useNavigate()
  const [kept, setKept] = useState<{ token: NewToken; to: WhatToAdd }>()
  // Other entries of the history, such as that of a link to this page, begin with the first step.
  const shown = useLocation({ select: ({ state }) => state.added })
  const added = kept?.token.name === shown ? kept : undefined
  const part = useFocusedPart<HTMLDivElement>(added?.token.name ?? 'what')
  useDocumentTitle(added ? `Connect ${added.token.name}` : 'Add agent')
  if (role !== 'admin')
    return (
      <>
        <PageHeader title="Add agent" />
        <p className="add-members">Only admins of this workspace can add agents. Ask one of them.</p>
        <ButtonLink to={paths.members} params={{ slug }} variant="default">
          View members
        </ButtonLink>
      </>
    )
  const keep = (token: NewToken, to: WhatToAdd) => {
    setKept({ token, to })
    void navigate({ to: '.', search: true, state: { added: token.name }, replace: true })
  }
  return (
    <div className="add-page svc-focused-part" ref={part} tabIndex={-1}>
      {added ? (
        <Connect key={added.token.name} slug={slug} token={added.token} to={added.to} onAdded={keep} />
      ) : (
        <>
          <div className="svc-page-above">
            <AnchorLink to={paths.fleet} params={{ slug }} fz="xs" c="dimmed">
              Agents
            </AnchorLink>
          </div>
          <PageHeader title="Add agent" note="It stays on its machine, reports here, and answers your commands." />
          <WhatToWatch slug={slug} what={what} onAdded={keep} />
        </>
      )}
    </div>
  )
}
