import type { BlueprintVersion } from '@svc/api'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../data/api.ts'
import { keys, read } from '../data/queries.ts'
import { paths } from '../paths.ts'
import { Confirm } from '../ui/index.ts'

interface DeleteVersionProps {
  slug: string
  version: BlueprintVersion
  opened: boolean
  onClose: () => void
}

/** A dialog that deletes one version of a blueprint. Deleting the last version deletes the blueprint. */
export function DeleteVersion({ slug, version: { blueprint, version }, opened, onClose }: DeleteVersionProps) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const last =
    client.getQueryData(read('GET /w/:slug/blueprints/:blueprint', { slug, blueprint }).queryKey)?.versions.length === 1
  const remove = async () => {
    await call('DELETE /w/:slug/blueprints/:blueprint/versions/:version', { slug, blueprint, version })
    if (last) await navigate({ to: paths.blueprints, params: { slug }, replace: true })
    else await navigate({ to: paths.blueprint, params: { slug, blueprint }, search: {}, replace: true })
    client.removeQueries({
      queryKey: read('GET /w/:slug/blueprints/:blueprint/versions/:version', { slug, blueprint, version }).queryKey,
    })
    void client.invalidateQueries({ queryKey: keys.blueprints(slug) })
  }
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={`Delete ${blueprint} ${version}?`}
      confirm="Delete version"
      danger
      onConfirm={remove}
    >
      This can’t be undone.
      <ul className="svc-consequences">
        <li>The zip is deleted. This version can no longer be installed.</li>
        <li>No agent runs or keeps it, so no agent is affected.</li>
        <li>The same version number can be uploaded again, even with different content.</li>
        {last && <li>This is the last version, so the blueprint is deleted too.</li>}
      </ul>
    </Confirm>
  )
}
