import type { MachineChange } from '@svc/api'
import { IconDeviceDesktop } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Time } from '../../../ui/index.ts'

/** Marks a change that someone made on the agent's machine, with the time when it was first reported. */
export function ByMachine({ change, children }: { change: MachineChange | undefined; children: ReactNode }) {
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
