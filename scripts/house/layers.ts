/**
 * The order of the folders of each package, from above: a folder imports only what stands in a layer below its own. Types count for
 * nothing here, since nothing is loaded for them. A file that lies directly in `src` stands by its name, and so does one whose path
 * is in a layer: it stands apart from its folder.
 */
export interface Order {
  readonly layers: readonly (readonly string[])[]
  /** Imports against the order that cannot be avoided. */
  readonly exceptions: readonly { readonly file: string; readonly imports: string; readonly why: string }[]
}

export const orders: Readonly<Record<string, Order>> = {
  blueprint: {
    layers: [['index.ts'], ['folder'], ['bundle'], ['manifest'], ['zip', 'key.ts']],
    exceptions: [],
  },
  runtime: {
    layers: [
      ['main.ts', 'index.ts'],
      ['cli'],
      ['drill', 'author'],
      ['worker'],
      ['update'],
      ['self-update', 'install', 'bindings', 'service'],
      ['reporter'],
      ['launcher', 'status'],
      ['commands', 'logs'],
      ['state', 'versions'],
      ['files'],
      ['hint.ts'],
      ['process', 'programs'],
      ['author/starting', 'errors.ts', 'part.ts', 'refusal.ts', 'time.ts', 'version.ts'],
    ],
    exceptions: [],
  },
  server: {
    layers: [
      ['main.ts'],
      ['operator'],
      ['service.ts'],
      ['operator/socket'],
      ['web', 'operator/commands'],
      ['agent-side', 'open.ts', 'operator/kit'],
      ['operations'],
      ['live', 'installs'],
      ['pages', 'sweeper', 'blueprints', 'backup', 'move'],
      ['reports', 'rollouts', 'web/kit'],
      ['wishes', 'agents', 'products'],
      ['logs', 'workspaces', 'config.ts'],
      ['commands', 'bots', 'people', 'releases'],
      ['audit', 'ops'],
      ['db', 'http'],
      ['versions', 'limits', 'db/migrations', 'tokens.ts', 'ids.ts', 'errors.ts', 'verdict.ts', 'deps.ts'],
    ],
    exceptions: [],
  },
  dashboard: {
    layers: [
      ['main.tsx', 'index.ts'],
      ['App.tsx'],
      ['router.tsx'],
      ['pages/agent', 'pages/blueprints'],
      [
        'pages/activity',
        'pages/agent/header',
        'pages/agent/runs',
        'pages/bots',
        'pages/fleet',
        'pages/install',
        'pages/members',
        'pages/updates',
      ],
      ['pages', 'pages/account', 'pages/agent/overview', 'pages/agent/settings', 'pages/updates/agent'],
      ['pages/agent/commands', 'pages/agent/logs', 'pages/blueprints/parts', 'shell'],
      ['agents', 'live', 'pages/agent/parts', 'pages/updates/parts', 'workspace.ts'],
      ['queries.ts', 'session.ts'],
      ['api.ts', 'styles.ts', 'ui/charts'],
      ['forms', 'ui', 'links.tsx', 'notify.tsx', 'paths.ts', 'theme.ts'],
    ],
    exceptions: [],
  },
}
