import { Text } from '../../../ui/index.ts'

/** What comes of a wish for a build that is not signed (3.5), said before it is sent. */
export const Unsigned = ({ version }: { version: string }) => (
  <p className="up-unsigned" role="note">
    The served build <Text>{version}</Text> is not signed. Every runtime will answer “failed”, and the service then
    holds the version. Ask the operator to serve a signed build first.
  </p>
)
