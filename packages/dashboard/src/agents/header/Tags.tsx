import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { paths } from '../../paths.ts'
import { TagsDialog } from '../dialogs/index.ts'
import type { Agent } from '../parts/agent.ts'

/** The tags of the agent, each a link to the agents that have it, and a button to change them; nothing without tags. */
export function Tags({ agent: { slug, page } }: { agent: Agent }) {
  const [open, setOpen] = useState(false)
  if (page.tags.length === 0 && !open) return null
  return (
    <div className="ag-tags">
      <ul aria-label="Tags">
        {page.tags.map((tag) => (
          <li key={tag}>
            <Link to={paths.fleet} params={{ slug }} search={{ q: `tag:${tag}` }} className="ag-tag">
              <span>{tag}</span>
            </Link>
          </li>
        ))}
      </ul>
      {page.canAct && (
        <Button size="compact-xs" variant="subtle" onClick={() => setOpen(true)}>
          Tags…
        </Button>
      )}
      {open && (
        <Suspense>
          <TagsDialog slug={slug} names={[page.name]} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  )
}
