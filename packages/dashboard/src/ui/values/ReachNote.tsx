import { isOwnMachineOnly } from '@svc/protocol'
import { Help } from '../page/Help.tsx'

/**
 * Warns that only the service's own machine can reach this address. Shows nothing for any other address. Pages show it
 * beside links and commands that are meant for another machine.
 */
export const ReachNote = ({ address }: { address: string }) =>
  isOwnMachineOnly(address) ? (
    <p className="svc-notice" role="note">
      <strong>{new URL(address).origin} works only on the machine of this service.</strong> For other machines, ask the
      operator to set an address that they reach. <Help about="start#reach-it-from-another-machine" />
    </p>
  ) : null
