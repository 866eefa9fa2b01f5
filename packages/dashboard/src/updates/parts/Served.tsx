import { Help, Text } from '../../ui/index.ts'

interface ServedProps {
  served: { version: string; signed: boolean }
  /** True if an agent could be updated to this version. Otherwise a missing signature is not mentioned. */
  offered: boolean
}

/**
 * Shows the runtime version that the service serves. If the build of that version is not signed, the text says that
 * updates to it fail, and who can sign it.
 */
export const ServedVersion = ({ served: { version, signed }, offered }: ServedProps) => (
  <span>
    <Text>{version}</Text>
    {!signed && offered && (
      <>
        <span className="up-unsigned">, not signed: updates to it fail.</span>
        <span className="svc-quiet">
          {' '}
          {howToSign} <Help about="operator#runtime-releases" />
        </span>
      </>
    )}
  </span>
)

/** Warns the person before they request an unsigned build of the runtime (3.5). */
export const UnsignedWarning = ({ version }: { version: string }) => (
  <p className="up-unsigned" role="note">
    The served build <Text>{version}</Text> is not signed. Every runtime will report “failed”, and the version is then
    put on hold. {howToSign} <Help about="operator#runtime-releases" />
  </p>
)

const howToSign = 'The operator can sign it.'
