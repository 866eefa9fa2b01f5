import { Text } from '../ui/index.ts'

/**
 * Shows the runtime version that the service serves. If the build of that version is not signed, the text says that
 * updates to it fail.
 */
export const Served = ({ served: { version, signed } }: { served: { version: string; signed: boolean } }) => (
  <span>
    <Text>{version}</Text>
    {!signed && <span className="up-unsigned">, not signed: updates to it fail</span>}
  </span>
)

/** Warns the person before they request an unsigned build of the runtime (3.5). */
export const Unsigned = ({ version }: { version: string }) => (
  <p className="up-unsigned" role="note">
    The served build <Text>{version}</Text> is not signed. Every runtime will report “failed”, and the version is then
    put on hold. Ask the operator to serve a signed build first.
  </p>
)
