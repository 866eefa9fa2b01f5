/** The list of all faults. The areas whose tests take longest, the page and the runtime's processes, come last. */
import { alertFaults } from './alerts.ts'
import { blueprintFaults } from './blueprint.ts'
import { dashboardFaults } from './dashboard.ts'
import { factorFaults } from './factors.ts'
import type { Fault } from './fault.ts'
import { hostFaults } from './host.ts'
import { oidcFaults } from './oidc.ts'
import { passkeyFaults } from './passkeys.ts'
import { peopleFaults } from './people.ts'
import { protocolFaults } from './protocol.ts'
import { runtimeFaults } from './runtime.ts'
import { runtimeProcessFaults } from './runtime-process.ts'
import { sdkFaults } from './sdk.ts'
import { serverFaults } from './server.ts'
import { serviceFaults } from './service.ts'

export const faults: readonly Fault[] = [
  ...protocolFaults,
  ...blueprintFaults,
  ...runtimeFaults,
  ...hostFaults,
  ...sdkFaults,
  ...serverFaults,
  ...serviceFaults,
  ...peopleFaults,
  ...factorFaults,
  ...passkeyFaults,
  ...oidcFaults,
  ...alertFaults,
  ...dashboardFaults,
  ...runtimeProcessFaults,
]
