import { Text } from '../../../ui/index.ts'

/** Warns before an unsigned build is requested (3.5). */
export const Unsigned = ({ version }: { version: string }) => (
  <p className="up-unsigned" role="note">
    The served build <Text>{version}</Text> is not signed. Every runtime will report “failed”, and the version is then
    put on hold. Ask the operator to serve a signed build first.
  </p>
)
