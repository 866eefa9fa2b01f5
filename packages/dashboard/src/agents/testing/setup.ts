/**
 * The setup for the browser tests of the agent page: the real service, a real browser, two people who are signed in,
 * and agents whose reports the test itself sends.
 */
import type { NewToken } from '@svc/api'
import type { Command } from '@svc/protocol'
import type { Page } from 'playwright-core'
import {
  type BrowserSetup,
  type Look,
  openBrowserSetup,
  password,
  type Visitor,
} from '../../../testing/browser-setup.ts'

export interface PlayedAgent {
  /** Sends a report, and returns the commands in the answer. */
  report: (parts?: Record<string, unknown>) => Promise<Command[]>
  upload: (command: string | undefined, name: string, text: string) => Promise<void>
}

export interface OpenPageOptions extends Look {
  tab?: string
  /** True if the opened page gets a clock that the test can advance. */
  clock?: boolean
}

export interface AgentPageSetup {
  setup: BrowserSetup
  addAgent: (name: string) => Promise<PlayedAgent>
  /** Opens the page of an agent in the browser of the admin or the member, who are both signed in. */
  visit: (who: 'admin' | 'member', agent: string, options?: OpenPageOptions) => Promise<Page>
}

const slug = 'north-wind'

/** `env` are additional settings for the service. */
export async function openAgentPageSetup(env: Readonly<Record<string, string>> = {}): Promise<AgentPageSetup> {
  const setup = await openBrowserSetup(env)
  const ada = await setup.ada()
  const mo = ['person', 'create', 'mo@example.org', '--name', 'Mo', '--workspace', slug, '--role', 'member']
  await setup.operator(mo, password)
  const member = await setup.visitor()
  await setup.signIn(member, 'mo@example.org')
  const people = { admin: ada, member }

  /** A test clock applies to all pages of one browser context, so a page with a clock gets a separate context. */
  const withClock = async ({ context }: Visitor, look: Look) => {
    const own = await setup.visitor({ ...look, own: true })
    await own.context.addCookies(await context.cookies())
    await own.page.clock.install()
    return own.page
  }

  return {
    setup: setup,
    addAgent: async (name) => {
      const { token } = await ada.call<NewToken>('POST', `/api/web/w/${slug}/agents`, { name })
      return playedAgent(setup, token)
    },
    visit: async (who, agent, { tab, clock = false, width = 1440, ...look } = {}) => {
      const page = await (clock ? withClock : setup.window)(people[who], { width, ...look })
      await page.goto(`${setup.url}/w/${slug}/agents/${agent}${tab === undefined ? '' : `?tab=${tab}`}`)
      await page.getByRole('heading', { level: 1, name: agent }).waitFor()
      return page
    },
  }
}

const playedAgent = (setup: BrowserSetup, token: string): PlayedAgent => ({
  report: async (parts) => (await setup.report(token, parts)).commands as Command[],
  upload: async (command, name, text) => {
    const answer = await fetch(`${setup.url}/api/agent/v1/log`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ command, name, text }),
    })
    if (!answer.ok) throw new Error(`The log was answered ${answer.status}: ${await answer.text()}`)
  },
})
