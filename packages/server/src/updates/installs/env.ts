/** Makes the variables of the agent's file `.svc/agent.env` (2.9, D51). */
import { isEnvName, isEnvValue } from '@svc/protocol'
import type { GivenBot } from '../../fleet/bots/store.ts'

/**
 * Returns the environment variables for a new agent: its token, and the address, workspace and token of each bot.
 * `SVC_URL` is not among them, because the runtime writes the address that it was given.
 */
export function envOf(
  token: string,
  workspaceId: string,
  given: readonly Pick<GivenBot, 'product' | 'token'>[],
  origins: ReadonlyMap<string, string>,
): Record<string, string> {
  const env: Record<string, string> = { SVC_TOKEN: token }
  for (const bot of given) {
    const name = `SVC_BINDING_${bot.product.toUpperCase()}`
    env[`${name}_URL`] = origins.get(bot.product) ?? ''
    env[`${name}_WORKSPACE`] = workspaceId
    env[`${name}_TOKEN`] = bot.token
  }
  for (const [name, value] of Object.entries(env)) {
    if (!isEnvName(name) || !isEnvValue(value) || value === '') throw new Error(`The variable ${name} is not whole.`)
  }
  return env
}
