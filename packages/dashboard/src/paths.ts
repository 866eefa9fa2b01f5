/** The page's addresses; `$slug` and `$name` are filled by the router's `params`. The address is the view. */
export const paths = {
  home: '/',
  signIn: '/sign-in',
  start: '/start',
  link: '/link',
  invitation: '/invitation/$id',
  account: '/account',
  fleet: '/w/$slug',
  agent: '/w/$slug/agents/$name',
  members: '/w/$slug/members',
  activity: '/w/$slug/activity',
} as const

/** The tabs of an agent's page: `?tab=`, the first when absent. */
export const agentTabs = ['overview', 'runs', 'commands', 'logs', 'settings'] as const
export type AgentTab = (typeof agentTabs)[number]
