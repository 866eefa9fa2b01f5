import type { SavedView } from '@svc/api'
import { bare } from '@svc/protocol'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../data/api.ts'
import { keys } from '../../data/queries.ts'
import { replacedBy, sameAgain } from './standing.ts'
import { putView, ViewForm } from './ViewForm.tsx'

interface RenameProps {
  slug: string
  views: readonly SavedView[]
  view: SavedView
  onClose: () => void
}

const taken = 'There is a view of that name already. Choose another name, or remove that view.'

/** The dialog that gives a view another name. */
export default function RenameView({ slug, views, view, onClose }: RenameProps) {
  const client = useQueryClient()
  const [name, setName] = useState(view.name)
  const other = replacedBy(views, name, view.shared)
  const rename = async () => {
    if (other) return onClose()
    putView(
      client,
      slug,
      await call('PUT /w/:slug/views', { slug }, { ...sameAgain(view), name: bare(name), replaces: view.id }),
    )
    onClose()
    await client.invalidateQueries({ queryKey: keys.views(slug) })
  }
  return (
    <ViewForm
      title="Rename view"
      name={name}
      onName={setName}
      wrong={other !== undefined && other.id !== view.id ? taken : undefined}
      submit="Rename view"
      onSubmit={rename}
      onClose={onClose}
    />
  )
}
