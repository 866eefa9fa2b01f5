import type { InstallCode } from '@svc/api'
import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../data/api.ts'
import { keys } from '../../data/queries.ts'
import { Confirm } from '../../ui/index.ts'

interface RevokeCodeProps {
  slug: string
  code: InstallCode
  opened: boolean
  onClose: () => void
}

/** A dialog that revokes an install code that nobody has used yet. */
export function RevokeCode({ slug, code, opened, onClose }: RevokeCodeProps) {
  const client = useQueryClient()
  const revoke = async () => {
    try {
      await call('DELETE /w/:slug/codes/:id', { slug, id: code.id })
    } finally {
      void client.invalidateQueries({ queryKey: keys.codes(slug) })
      void client.invalidateQueries({ queryKey: keys.blueprints(slug) })
    }
  }
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={`Revoke the code for ${code.agentName}?`}
      confirm="Revoke code"
      danger
      onConfirm={revoke}
    >
      <ul className="svc-consequences">
        <li>The code stops working immediately.</li>
        <li>Nothing has been installed with it, so no agent is affected.</li>
        <li>You can issue another code at any time.</li>
      </ul>
    </Confirm>
  )
}
