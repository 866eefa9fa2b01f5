import type { MachineChange } from '@svc/api'
import { IconDeviceDesktop } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Time } from '../../ui/index.ts'

/** Shows that somebody made a change on the agent's machine, and when the agent first reported the change. */
export function MachineChangeNote({ change, children }: { change: MachineChange | undefined; children: ReactNode }) {
  if (!change) return null
  return (
    <span className="ag-machine">
      <IconDeviceDesktop size={14} aria-hidden />
      <span>
        {children}, <Time at={change.at} />
      </span>
    </span>
  )
}
