/** Faults of `packages/dashboard`: mistakes in what people see, found by unit tests or in a browser. */
import type { Fault } from './fault.ts'

const at = (file: string) => `packages/dashboard/src/${file}`

export const dashboardFaults: readonly Fault[] = [
  {
    name: 'frames: the list is not asked for again when an agent changes its group',
    harm: 'The filter counts one bad agent, and the list shows none.',
    file: at('live/merge.ts'),
    old: 'group(fresh.get(row.name) ?? row, frame.now)',
    new: 'group(row, frame.now)',
    tests: [at('live/merge.test.ts')],
  },
  {
    name: 'presses: an older answer replaces a newer one',
    harm: 'A command that was carried out is shown as queued again.',
    file: at('agents/parts/press.ts'),
    old: 'order(b) >= order(a) ? b : a',
    new: 'order(b) >= order(a) ? a : b',
    tests: [at('pages/agent/agent.test.ts')],
  },
  {
    name: 'settings: what was not changed is sent as well',
    harm: 'Sending one setting sets back another that somebody changed on the machine meanwhile.',
    file: at('pages/agent/settings/form.ts'),
    old: 'else if (read.value !== reportedOf(settings, setting.key))',
    new: 'else',
    tests: [at('pages/agent/settings/form.test.ts')],
  },
  {
    name: 'fleet: a column is sorted the same way at each press',
    harm: 'The agents with the lowest costs cannot be brought to the top.',
    file: at('pages/fleet/view.ts'),
    old: 'now.sort === sort ? !now.desc : down[sort]',
    new: 'now.sort === sort ? now.desc : down[sort]',
    tests: [at('pages/fleet/view.test.ts')],
  },
  {
    name: 'page: a link that an agent reported knows the page that it came from',
    harm: 'A page that an agent links to takes over the tab from which it was opened.',
    file: at('ui/UntrustedLink.tsx'),
    old: 'rel="noopener noreferrer nofollow"',
    new: 'rel="opener"',
    tests: [at('pages/agent/agent.browser.test.ts')],
  },
  {
    name: 'page: an agent that no longer reports looks as it did last',
    harm: 'A machine that died a week ago is shown as OK.',
    file: at('ui/Level.tsx'),
    old: "  if (silent) return 'silent'\n",
    new: '',
    tests: [at('pages/agent/agent.browser.test.ts')],
  },
  {
    name: 'page: a member sees buttons that are not theirs to press',
    harm: 'A member presses pause, and only then learns that it is not allowed.',
    file: at('pages/agent/header/Controls.tsx'),
    old: '  if (!agent.page.canAct) return adminsOnly\n',
    new: '',
    tests: [at('pages/agent/agent.browser.test.ts')],
  },
  {
    name: 'page: unsent settings are lost without a question',
    harm: 'Ten minutes of typing are gone after one click.',
    file: at('pages/agent/settings/LeaveUnsent.tsx'),
    old: 'changes > 0 && current.pathname !== next.pathname',
    new: 'changes > 0 && current.pathname === next.pathname',
    tests: [at('pages/agent/agent.browser.test.ts')],
  },
  {
    name: 'page: after a lost connection it is not asked again',
    harm: 'The list shows what was true before the connection was lost, under a sign that says "live".',
    file: at('live/connection.ts'),
    old: '    missed = true\n',
    new: '',
    tests: [at('pages/fleet/fleet.browser.test.ts')],
  },
]
