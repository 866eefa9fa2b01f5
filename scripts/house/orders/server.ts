/** The order of the folders in packages/server/src. */
import { inWings, type Order } from '../order.ts'

export const serverOrder: Order = inWings(
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
          'people/accounts': 'accounts, passwords, sessions, links; how often a sign-in may fail (`sign-in-limits.ts`)',
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
          'platform/db/migrations': 'migrations by era; the next one is appended to the newest file',
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
)
