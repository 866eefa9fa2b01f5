import type { InstallCode } from '@svc/api'
import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../data/api.ts'
import { keys } from '../../data/queries.ts'
import { useConfirm } from '../../ui/index.ts'

/** Returns a function that revokes an install code that nobody has used yet, after asking. */
export function useRevokeCode(slug: string, code: InstallCode) {
  const client = useQueryClient()
  const confirm = useConfirm()
  const revoke = async () => {
    try {
      await call('DELETE /w/:slug/codes/:id', { slug, id: code.id })
    } finally {
      void client.invalidateQueries({ queryKey: keys.codes(slug) })
      void client.invalidateQueries({ queryKey: keys.blueprints(slug) })
    }
  }
  return () =>
    confirm({
      title: `Revoke the code for ${code.agentName}?`,
      content: (
        <ul className="svc-consequences">
          <li>The code stops working immediately.</li>
          <li>Nothing has been installed with it, so no agent is affected.</li>
          <li>You can issue another code at any time.</li>
        </ul>
      ),
      confirm: 'Revoke code',
      danger: true,
      act: revoke,
    })
}
