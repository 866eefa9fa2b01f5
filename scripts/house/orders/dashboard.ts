/** The order of the folders in packages/dashboard/src. */
import { inWings, type Order } from '../order.ts'

export const dashboardOrder: Order = inWings(
  [
    {
      name: 'account',
      says: 'My account',
      layers: [{ account: 'My account: name, password, second factor, sessions' }],
    },
    {
      name: 'door',
      says: 'all that works without a session',
      layers: [{ door: 'sign-in, links and invitations' }],
    },
    {
      name: 'shell',
      says: 'what is around every page',
      layers: [
        {
          shell: 'frame of the page: side bar, banners',
        },
        {
          'shell/finding': 'the palette, and menus of workspaces and people',
          'shell/proof': 'asks who the person is, before something dangerous is done',
        },
      ],
    },
    {
      name: 'fleet',
      says: 'all agents: their list, and what they cost',
      layers: [
        {
          'fleet/cost': 'the page with costs by time and by agent, model or blueprint',
        },
        {
          fleet: 'the page with the list of all agents',
        },
        {
          'fleet/first-steps': 'the first steps of a new workspace, below its list',
          'fleet/map': 'the map: a square for each agent, on a canvas',
        },
        {
          'fleet/groups': 'the groups of the list and of the map, by tag, host or blueprint',
        },
        {
          'fleet/filter': 'the field with the filter, its suggestions and its help',
        },
        {
          'fleet/row': 'the parts of a row of the list: its state, its marks, its tags, its last day',
        },
        {
          'fleet/views': 'the list as people chose it: filter, order and columns, and views that keep them',
        },
      ],
    },
    {
      name: 'actions',
      says: 'commands for many agents',
      layers: [
        {
          actions: 'commands for many agents, with their outcomes',
        },
        {
          'actions/dialogs': 'dialogs that send a command to many agents',
        },
      ],
    },
    {
      name: 'bots',
      says: 'products and bots',
      layers: [{ bots: 'products, bots and their tokens' }],
    },
    {
      name: 'blueprints',
      says: 'blueprints, and agents installed from them',
      layers: [
        {
          blueprints: 'blueprints and their versions',
        },
        {
          'blueprints/install': 'install codes',
        },
        {
          'blueprints/parts': 'blueprints in words',
        },
      ],
    },
    {
      name: 'agents',
      says: 'one agent',
      layers: [
        {
          agents: 'the page of an agent',
        },
        {
          'agents/adding': 'the page to add an agent',
          'agents/header': 'name, state and controls above the tabs',
          'agents/runs': 'runs of an agent',
        },
        {
          'agents/overview': 'the first tab of an agent: health, panels, alerts',
        },
        {
          'agents/settings': 'settings of an agent',
        },
        {
          'agents/commands': 'commands that were sent',
          'agents/logs': 'logs, asked for and read',
          'agents/overview/parts': 'gauges, costs and states in words and shapes',
          'agents/updates': 'updates of one agent',
        },
        {
          'agents/dialogs': 'dialogs to rename, tag and delete an agent; lines to copy',
          'agents/parts': 'what pages share about one agent',
        },
      ],
    },
    {
      name: 'updates',
      says: 'updates of many agents',
      layers: [
        {
          updates: 'updates of many agents, rollouts',
        },
        {
          'updates/parts': 'what pages share about updates and rollouts',
        },
      ],
    },
    {
      name: 'activity',
      says: 'who did what',
      layers: [{ activity: 'the page with all entries, and their sentences' }],
    },
    {
      name: 'members',
      says: 'people and settings of a workspace',
      layers: [
        {
          members: 'members and invitations',
          'members/settings': 'settings of a workspace: name, required second factor, messages, and its end',
        },
      ],
    },
    {
      name: 'alerts',
      says: 'alerts and their messages',
      layers: [
        {
          alerts: 'the page with open and past alerts and messages',
        },
        {
          'alerts/history': 'the timeline of past alerts, and the filter of lists',
          'alerts/rules': 'rules of alerts',
        },
        {
          'alerts/channels': 'channels, also of one person and of this browser',
          'alerts/mutes': 'mutes, and the dialogs that make them',
        },
        {
          'alerts/parts': 'alerts in words, and what their tabs share',
        },
      ],
    },
    {
      name: 'data',
      says: 'what the page asks for and keeps',
      layers: [
        {
          'data/live': 'live frames, merged into what is shown',
        },
        {
          data: 'the typed client of `packages/api`, queries, the session, and where a person was before',
        },
      ],
    },
    {
      name: 'ui',
      says: 'knows no route of the service: components, keys, times and numbers',
      layers: [
        {
          'ui/pages': 'the root of all that is drawn; pages for waiting and for addresses that lead nowhere',
        },
        {
          ui: 'small components',
          'ui/charts': 'charts',
        },
        {
          'ui/forms': 'inputs, and sending a form',
          'ui/values': 'values, levels and texts as they are shown',
        },
        {
          'ui/dialogs': 'dialogs, changes and their errors',
          'ui/keys': 'keyboard shortcuts and their actions',
          'ui/page': 'parts of every page: header, tabs, help',
          'ui/time': 'times and numbers',
        },
        {
          'ui/shared-value.ts': 'a value that several components show, kept outside of them',
        },
      ],
    },
  ],
  [
    { 'main.ts': 'starts the page' },
    { 'App.tsx': 'what surrounds all pages of a signed-in person' },
    { 'router.tsx': 'addresses and their pages' },
  ],
  [
    {
      'index.ts': 'nothing: other packages import nothing of the page',
      'paths.ts': 'addresses of pages',
    },
  ],
)
