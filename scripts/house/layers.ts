/**
 * The order of the folders in a package, from the top: a folder may import values and types only from folders in lower
 * layers. A file directly in `src` is listed by its name.
 */
export interface Order {
  /** The wings of a large package, from the top. A wing imports only wings below it. */
  readonly wings?: readonly Wing[]
  /** For each layer, its folders and files with a description of each. docs/architecture.md shows these as tables. */
  readonly layers: readonly Readonly<Record<string, string>>[]
  /** Imports that break the order and cannot be avoided, each with the reason. */
  readonly exceptions: readonly { readonly file: string; readonly imports: string; readonly why: string }[]
}

/** A folder of `src` with one subject, and its folders. */
interface Wing {
  readonly name: string
  readonly says: string
  readonly layers: Order['layers']
}

/** The order of a package whose folders are in wings; `above` and `below` are the files directly in `src`. */
const inWings = (wings: readonly Wing[], above: Order['layers'], below: Order['layers'] = []): Order => ({
  wings,
  layers: [...above, ...wings.flatMap(({ layers }) => layers), ...below],
  exceptions: [],
})

export const orders: Readonly<Record<string, Order>> = {
  blueprint: {
    layers: [
      {
        'index.ts': 'what other packages may import',
      },
      {
        folder: "the folder of a blueprint on its author's disk: checked, and packed into a bundle",
      },
      {
        bundle: 'acceptance of a bundle: rules for its paths and entries, unpacking',
      },
      {
        manifest: '`svc.agent.yaml`: read and checked; findings with their lines',
      },
      {
        zip: 'zip archives, read and written',
        'key.ts': 'the key of a path: equal for paths that a file system treats as the same',
        'read-file.ts': 'small files, read: missing, unreadable with the reason, or content',
      },
    ],
    exceptions: [],
  },
  runtime: inWings(
    [
      {
        name: 'cli',
        says: '`svc` and its commands',
        layers: [
          {
            cli: 'the program `svc`: which commands there are, and what all of them do first',
          },
          {
            'cli/host': 'the jobs and AI sessions of this machine: `adopt`, `exec`, `jobs`, `sessions`, `watch`',
          },
          {
            'cli/install': 'an agent comes to this machine and leaves it: `init`, `connect`, `remove`, `self`',
          },
          {
            'cli/steer': 'what a person changes: pause, settings, secrets, account',
          },
          {
            'cli/author/drill': '`svc drill`: rehearses an update and a rollback on a copy of the agent',
            'cli/run': 'the agent runs: `run`, `start`, `service`, `report`, `rollback`, and the version of svc itself',
          },
          {
            'cli/author': '`svc new`, `check` and `pack`, for the author of a blueprint',
            'cli/look': 'what a person looks at: `status`, `why`, `logs`, `outbox`, `doctor`',
          },
          {
            'cli/kit': 'what most commands need: questions, output and exit codes, the folder of the agent',
          },
          {
            'cli/author/starting': 'the first files of a new blueprint',
          },
        ],
      },
      {
        name: 'host',
        says: 'what people run on this machine anyway: their jobs and AI sessions',
        layers: [
          {
            'host/adopt': '`svc adopt`: the crontab, whose lines become jobs and back',
          },
          {
            'host/watch': '`svc watch`: what the host agent reports, a section for each kind of thing that runs',
          },
          {
            'host/agent': 'the host agent: its manifest, and what a person chose to show',
          },
          {
            'host/jobs':
              '`svc exec`: runs the command of a job and records how it ended; the records as others read them; schedules, the crontab, and which job is overdue',
            'host/sessions':
              'sessions of AI tools, each tool in files of its own: what the tools write as it grows, which processes live, what was spent, and the number of each session',
          },
        ],
      },
      {
        name: 'worker',
        says: 'the worker thread of `svc run`',
        layers: [
          {
            worker: 'the worker thread of `svc run`: wires the runtime together',
          },
        ],
      },
      {
        name: 'updates',
        says: 'new versions of the agent and of the runtime itself',
        layers: [
          {
            'updates/agent':
              "the update of the agent's version: `listening.ts` and `update.ts`; its states in `moves.ts`, its steps in `steps.ts`, `proving.ts` and `watching.ts`",
            'updates/runtime':
              "the runtime's update of itself: `updating.ts` and `update.ts`; an attempt in `moves.ts`",
          },
        ],
      },
      {
        name: 'install',
        says: 'the first installation, and the unit of a service manager',
        layers: [
          {
            'install/service': 'units of systemd and launchd',
          },
          {
            install: '`svc init` and `svc connect`',
          },
        ],
      },
      {
        name: 'reporter',
        says: 'reports, and the commands in their answers',
        layers: [
          {
            reporter:
              'reports: what they hold, when they are sent, what the answer asks for; bots of products (`bindings.ts`)',
          },
          {
            'reporter/status': "the agent's status file, and how old it is",
          },
          {
            'reporter/commands': 'commands: decided, noted in the journal, carried out',
          },
        ],
      },
      {
        name: 'launcher',
        says: "the agent's process, and the file of the runtime",
        layers: [
          {
            launcher:
              "the agent's process (`supervision.ts`, `supervisor.ts`, its life in `moves.ts`); the runtime's own file and its trial (`keeping.ts`, `keeper.ts`, `trial.ts`); the worker thread (`hosting.ts`, `host.ts`)",
          },
        ],
      },
      {
        name: 'state',
        says: 'what the machine keeps about the agent',
        layers: [
          {
            'state/logs': 'declared logs: read and followed',
          },
          {
            state: 'state paths, settings, secrets, pause; the notes about the installation and the process',
            'state/versions': 'what both updates share',
          },
        ],
      },
      {
        name: 'machine',
        says: 'knows no rule of the contract: files, processes, programs, time, HTTP',
        layers: [
          {
            'machine/client': 'calls of the service over HTTPS',
          },
          {
            'machine/files': 'durable writes; notes, each described once with `note.ts`',
          },
          {
            machine: 'the commands that messages propose',
          },
          {
            'machine/process': 'the processes of an agent: who they are, how they ended, what reports say of them',
            'machine/programs': 'programs of the machine that an agent needs',
          },
          {
            'machine/base': 'errors, refusals, sentences, time, the version of this runtime',
          },
        ],
      },
    ],
    [
      {
        'main.ts': 'the program `svc`',
        'index.ts': 'what tests and the demo may import',
        'packed.ts': 'the parts of the program inside `svc.pyz`',
      },
    ],
  ),
  server: inWings(
    [
      {
        name: 'service',
        says: 'starts and stops the process, and does what is due by time',
        layers: [
          {
            'service/cli':
              'parses the command line of `svc-server` (`program.ts`), decides where a command runs, and prints',
          },
          {
            service:
              'how the service starts and ends (`service.ts`), opens its data (`open.ts`), and reads its settings (`config.ts`)',
          },
          {
            'service/sweeper': 'what is due by time',
          },
          {
            'service/ops': 'health, metrics, an orderly end',
          },
        ],
      },
      {
        name: 'operator',
        says: '`svc-server`: one file for each noun, the socket, backup and restore, the move to PostgreSQL',
        layers: [
          {
            'operator/socket': '`operator.sock`: a command asks the running service',
          },
          {
            'operator/commands':
              'commands of `svc-server`, a file for each noun or group of related nouns; `all.ts` lists them',
          },
          {
            'operator/shared': 'what commands share: arguments, how they make changes, what they print',
          },
          {
            'operator/backup': 'backup and restore',
          },
          {
            'operator/move': 'moves an embedded installation to PostgreSQL',
          },
        ],
      },
      {
        name: 'web',
        says: 'what people reach over HTTP: the page and its routes',
        layers: [
          {
            web: 'the page and its routes, with what all of them share',
          },
          {
            'web/operations': 'what people can do: bound to its description in `packages/api`',
            'web/routes':
              'routes written by hand: sign-in, links, uploads, downloads, streams (`manual` in `packages/api`)',
          },
          {
            'web/routing': 'mounts operations; sign-in, and the right to write',
          },
          {
            'web/live': 'live frames, and what nodes tell each other',
          },
          {
            'web/queries': 'the queries behind pages; what they give is described in `packages/api`',
          },
        ],
      },
      {
        name: 'alerts',
        says: 'rules, their evaluation, messages, and what people change about them',
        layers: [
          {
            'alerts/changes': 'what people change: acknowledgements, mutes, rules, channels',
            'alerts/evaluation': 'judges the rules of every workspace, and stores what changed',
          },
          {
            'alerts/messages': 'the text of messages, and their recipients',
          },
          {
            alerts: 'alerts, mutes and settings as rows',
          },
          {
            'alerts/rules':
              'each rule with its condition as one record (`rules.ts`, with the longer ones in `conditions.ts`), the life of an alert (`judge.ts`), who gets a message; pure',
          },
        ],
      },
      {
        name: 'agent-api',
        says: 'what agents and products reach over HTTP: reports, installation, bundles, introspection',
        layers: [
          {
            'agent-api':
              "the agents' routes, and the order of their refusals; install codes redeemed, bundles, introspection",
          },
          {
            'agent-api/reports': 'batches, and what one report does',
          },
          {
            'agent-api/report-store/postgres': 'a batch of reports in PostgreSQL, in two messages',
            'agent-api/report-store/sqlite': 'a batch of reports in SQLite',
          },
          {
            'agent-api/report-store':
              'what a report reads and writes, as it is stored: rows, lists of columns, runs, sums, bodies',
          },
        ],
      },
      {
        name: 'updates',
        says: 'versions, and how they reach agents',
        layers: [
          {
            'updates/blueprints': 'blueprints and their versions: uploads, judged and stored',
          },
          {
            'updates/actions': 'actions: one press on many agents, queued in slices, with the outcome for each',
            'updates/installs': 'install codes, issued and redeemed',
            'updates/rollouts': 'rollouts in waves',
          },
          {
            'updates/wishes':
              "wishes, holds, trials, an agent's timeline; the tables of 3.4 in `judge.ts`, the states in `state.ts`",
          },
          {
            'updates/releases': 'what `/cli/` serves, and its signature',
          },
        ],
      },
      {
        name: 'fleet',
        says: 'agents, and what belongs to one',
        layers: [
          {
            'fleet/agents':
              'agents: made, renamed, deleted; their tokens and tags (the rules of tags: `filter/tags.ts` of packages/api); when one counts as offline (`offline.ts`)',
            'fleet/products': 'products that bots belong to',
            'fleet/views': 'views: saved filters of the list of agents, for a person or a workspace',
          },
          {
            'fleet/logs': 'logs that agents sent',
            'fleet/reports': 'the last report of an agent as it is stored: its columns, its signs, its daily sums',
          },
          {
            'fleet/bots': 'bots of products; token introspection',
            'fleet/commands': 'the life of a command; its table in `protocol/src/commands.ts`',
          },
          {
            'fleet/versions': 'which version an agent runs',
          },
        ],
      },
      {
        name: 'people',
        says: 'who may do what, and who did what',
        layers: [
          {
            'people/mails/sending': 'mails about accounts: their texts, and how they are sent',
          },
          {
            'people/oidc': 'sign-ins through a provider (OpenID Connect), and who gets an account by one',
            'people/workspaces': 'workspaces, members, invitations',
          },
          {
            'people/accounts':
              'accounts, passwords, sessions, links; how often a sign-in may fail (`sign-in-limits.ts`)',
          },
          {
            'people/audit': 'who did what',
            'people/mails': 'mails about accounts that wait to be sent',
            'people/factors': 'second factors as rows, and the rules about codes, proofs and requirements',
          },
        ],
      },
      {
        name: 'deliveries',
        says: 'sends messages: queue, retries, allowed addresses, channels',
        layers: [
          {
            deliveries:
              'messages on their way: when they are tried, and who may be called; `send.ts` sends them by HTTP, `smtp.ts` by mail',
          },
          {
            'deliveries/names': 'names of receivers, looked up in a process that can be ended',
          },
          {
            'deliveries/channels':
              'makes the request of each kind of channel, a file for each, and sends nothing; seals secrets for the database',
          },
        ],
      },
      {
        name: 'platform',
        says: 'decides nothing about agents, reports or commands: database, HTTP, limits, ids, errors, log',
        layers: [
          {
            'platform/http': 'the listener: connections, bodies, limits of a client',
          },
          {
            platform:
              'ids, tokens, errors, refusals, the log, the data folder, the order of a stop; what the service hands to every part (`base.ts`)',
          },
          {
            'platform/db': 'both engines, transactions',
          },
          {
            'platform/db/migrations': 'migrations',
          },
          {
            'platform/db/engine.ts': 'the two engines',
            'platform/db/tables': 'the tables, those of a report described once',
            'platform/installed.ts': 'what lies beside the program',
            'platform/limits': 'units of time and size, calls in a minute',
          },
        ],
      },
    ],
    [{ 'main.ts': 'the program `svc-server`' }],
  ),
  dashboard: inWings(
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
            'fleet/row': 'the parts of a row of the list: its state, its marks, the widths of its cells',
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
  ),
}
