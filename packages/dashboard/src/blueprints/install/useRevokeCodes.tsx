import type { InstallCode } from '@svc/api'
import { useQueryClient } from '@tanstack/react-query'
import { call, isRefusal } from '../../data/api.ts'
import { queryKeys } from '../../data/queries.ts'
import { count, useConfirm } from '../../ui/index.ts'

/** Returns a function that asks the person, and then revokes unused install codes. */
export function useRevokeCodes(slug: string, codes: readonly InstallCode[]) {
  const client = useQueryClient()
  const confirm = useConfirm()
  const revoke = async () => {
    try {
      for (const { id } of codes)
        try {
          await call('DELETE /w/:slug/codes/:id', { slug, id })
        } catch (error) {
          // If one of several codes was used or has expired meanwhile, the loop goes on to revoke the others.
          if (codes.length === 1 || !isRefusal(error, 409)) throw error
        }
    } finally {
      void client.invalidateQueries({ queryKey: queryKeys.codes(slug) })
      void client.invalidateQueries({ queryKey: queryKeys.blueprints(slug) })
    }
  }
  const one = codes.length === 1
  return () =>
    confirm({
      title: one ? `Revoke the code for ${codes[0]?.agentName}?` : `Revoke ${count(codes.length, 'code')}?`,
      content: (
        <ul className="svc-consequences">
          <li>{one ? 'The code stops' : 'They stop'} working immediately.</li>
          <li>Nothing has been installed with {one ? 'it' : 'them'}, so no agent is affected.</li>
          <li>You can issue {one ? 'another code' : 'others'} at any time.</li>
        </ul>
      ),
      confirm: one ? 'Revoke code' : 'Revoke codes',
      danger: true,
      act: revoke,
    })
}
