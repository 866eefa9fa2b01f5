/**
 * For tests that open every page: the addresses of all pages of people who are signed in, and a service in which each
 * has something to show. The pages are those of paths.ts, so a new one joins by itself.
 */
import { wholeReport } from '../src/agents/testing/reports.ts'
import { type AgentPageSetup, openAgentPageSetup, type PlayedAgent } from '../src/agents/testing/setup.ts'
import { agentTabs, alertTabs, paths } from '../src/paths.ts'
import { blueprint, install, type SimulatedAgent, uploadVersions } from '../src/updates/testing/fleet.ts'
import type { Visitor } from './browser-setup.ts'

type PathName = keyof typeof paths

/** The pages of people who are not signed in, and one that only leads to another. */
const outside = ['home', 'signIn', 'start', 'link', 'claim', 'forgot', 'invitation'] as const satisfies PathName[]
const tabs: Partial<Record<PathName, readonly string[]>> = { agent: agentTabs, alerts: alertTabs }

/** The paths of all pages, with each of their tabs. */
export const everyPage: readonly string[] = (Object.keys(paths) as PathName[])
  .filter((name) => !outside.some((one) => one === name))
  .flatMap((name) => tabs[name]?.map((tab) => `${paths[name]}?tab=${tab}`) ?? [paths[name]])

/** The values for the parameters in the path of a page. */
interface PageIds {
  readonly slug: string
  readonly name: string
  readonly blueprint: string
  readonly id: string
}

/** The address of a page. Throws if the path has a parameter that these tests do not know. */
export const addressIn = (path: string, ids: PageIds): string =>
  path.replace(/\$(\w+)/g, (_, key: string) => {
    const id = ids[key as keyof PageIds]
    if (id === undefined) throw new Error(`testing/pages.ts needs a value for $${key} of ${path}.`)
    return id
  })

export interface EveryPageSetup extends AgentPageSetup {
  /** An admin of the workspace. */
  readonly ada: Visitor
  readonly agent: PlayedAgent
  /**
   * Sends a report that has every part; `more` are changes of it. The other agent reports, too, because one that goes
   * offline between two visits of a page changes the page.
   */
  report(more?: Record<string, unknown>): Promise<unknown>
  /** The address of a page: where an action, a code or a rollout is meant, the one that the setup has made. */
  addressOf(path: string): string
}

/** `env` are additional settings for the service. */
export async function openEveryPageSetup(env: Readonly<Record<string, string>> = {}): Promise<EveryPageSetup> {
  const opened = await openAgentPageSetup(env)
  const { setup } = opened
  const agent = await opened.addAgent('reporting')
  const others: SimulatedAgent[] = []
  const report: EveryPageSetup['report'] = async (more = {}) => {
    await agent.report({ ...wholeReport(Math.floor(Date.now() / 1000)), ...more })
    for (const other of others) await other.report()
  }
  await report()
  const ada = await setup.ada()
  const call = <T>(path: string, body: object) => ada.call<T>('POST', `/api/web/w/north-wind${path}`, body)
  await call('/agents/reporting/commands', { type: 'pause' })
  await call('/mutes', { agent: 'reporting', seconds: 5400 })
  await call('/invitations', { email: 'bo@example.org', role: 'member' })
  const action = await call<{ id: string }>('/actions', { agents: ['reporting'], type: 'resume' })
  await uploadVersions(setup, ['1.0.0', '1.1.0'])
  others.push(await install(setup, 'installed', '1.0.0'))
  const code = await call<{ id: string }>('/codes', { blueprint, version: '1.0.0', agent: 'announced' })
  const [kind, version] = ['blueprint', '1.1.0']
  const rollout = await call<{ id: string }>('/rollouts', {
    kind,
    blueprint,
    version,
    agents: ['installed'],
    waves: ['1'],
  })
  const made: Readonly<Record<string, { id: string }>> = {
    [paths.action]: action,
    [paths.code]: code,
    [paths.rollout]: rollout,
  }
  const addressOf = (path: string) =>
    setup.url + addressIn(path, { slug: 'north-wind', name: 'reporting', blueprint, id: made[path]?.id ?? '' })
  return { ...opened, ada, agent, report, addressOf }
}
