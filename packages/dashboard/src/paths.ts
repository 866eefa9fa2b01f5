/** The page's addresses; `$slug` and `$name` are filled by the router's `params`. The address is the view. */
export const paths = {
  home: '/',
  signIn: '/sign-in',
  start: '/start',
  link: '/link',
  claim: '/claim',
  invitation: '/invitation/$id',
  account: '/account',
  newWorkspace: '/workspaces/new',
  fleet: '/w/$slug',
  agent: '/w/$slug/agents/$name',
  blueprints: '/w/$slug/blueprints',
  blueprint: '/w/$slug/blueprints/$blueprint',
  /** Choosing what to install; then the code, shown once. */
  install: '/w/$slug/install',
  code: '/w/$slug/codes/$id',
  /** Rollouts and the served runtime; requesting a version for many agents; one rollout. */
  updates: '/w/$slug/updates',
  update: '/w/$slug/updates/new',
  rollout: '/w/$slug/updates/$id',
  bots: '/w/$slug/bots',
  members: '/w/$slug/members',
  activity: '/w/$slug/activity',
} as const

/** The tabs of an agent's page: `?tab=`, the first when absent. */
export const agentTabs = ['overview', 'runs', 'commands', 'updates', 'logs', 'settings'] as const
export type AgentTab = (typeof agentTabs)[number]
