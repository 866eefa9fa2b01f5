/** The parts of `oidc-provider`, which has no types, that the tests use. */
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

  export default class Provider {
    constructor(issuer: string, configuration: object)
    Grant: new (of: {
      accountId: string
      clientId: string
    }) => { addOIDCScope(scope: string): void; save(): Promise<string> }
    callback(): RequestListener
    interactionDetails(req: IncomingMessage, res: ServerResponse): Promise<{ prompt: { name: string } }>
    interactionFinished(
      req: IncomingMessage,
      res: ServerResponse,
      result: { login: { accountId: string } } | { error: string },
    ): Promise<void>
  }
}
