import type { ActionState, ConnectionEnd } from '@svc/api'

/**
 * The addresses of the page. The router fills in `$slug` and `$name` from `params`. The address alone decides which
 * page, tab and filter is shown.
 */
export const paths = {
  home: '/',
  signIn: '/sign-in',
  start: '/start',
  link: '/link',
  claim: '/claim',
  forgot: '/forgot',
  invitation: '/invitation/$id',
  account: '/account',
  newWorkspace: '/workspaces/new',
  fleet: '/w/$slug',
  agent: '/w/$slug/agents/$name',
  add: '/w/$slug/add',
  blueprints: '/w/$slug/blueprints',
  blueprint: '/w/$slug/blueprints/$blueprint',
  /** The page to issue an install code for a version, and the page of one code. */
  install: '/w/$slug/install',
  code: '/w/$slug/codes/$id',
  /**
   * The page of all rollouts and the served runtime, the page to request a version for many agents, and the page of one
   * rollout.
   */
  updates: '/w/$slug/updates',
  update: '/w/$slug/updates/new',
  rollout: '/w/$slug/updates/$id',
  /** The page of all actions, and the page of one. */
  actions: '/w/$slug/actions',
  action: '/w/$slug/actions/$id',
  alerts: '/w/$slug/alerts',
  cost: '/w/$slug/cost',
  bots: '/w/$slug/bots',
  members: '/w/$slug/members',
  settings: '/w/$slug/settings',
  activity: '/w/$slug/activity',
} as const

/** The part of My account on which second factors are added, as the address names it after `#`. */
export const secondFactorPart = 'second-factor'

/** The values of `?oidc=` in the address of My account: the ends of an attempt to connect it with the provider. */
export const connectionEnds = ['connected', 'failed', 'taken', 'busy'] as const satisfies readonly ConnectionEnd[]

/** The tabs of an agent's page. The address selects one with `?tab=`; without it, the first tab is shown. */
export const agentTabs = ['overview', 'runs', 'commands', 'updates', 'logs', 'settings'] as const
export type AgentTab = (typeof agentTabs)[number]

/** The things that somebody may want to add as an agent. The page to add one selects one with `?what=`. */
export const addedThings = ['program', 'cron', 'blueprint'] as const
export type AddedThing = (typeof addedThings)[number]

/** The tabs of the page of alerts. The address selects one with `?tab=`; without it, the first tab is shown. */
export const alertTabs = ['open', 'history', 'rules', 'channels', 'deliveries', 'mine'] as const
export type AlertTab = (typeof alertTabs)[number]

/** The numbers of days that the history of alerts may show. */
export const pastDays = ['1', '7', '30'] as const

/** The numbers of days for which costs may be shown, the default first. */
export const costDays = ['30', '7', '90', '400'] as const

/** The states that an agent can have in an action, in the order of lists: problems first. */
export const actionStates = Object.keys({
  refused: 0,
  failed: 0,
  expired: 0,
  sent: 0,
  waiting: 0,
  skipped: 0,
  cancelled: 0,
  applied: 0,
} satisfies Record<ActionState, 0>) as ActionState[]
