/** The order of the folders in packages/runtime/src. */
import { inWings, type Order } from '../order.ts'

export const runtimeOrder: Order = inWings(
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
          'updates/runtime': "the runtime's update of itself: `updating.ts` and `update.ts`; an attempt in `moves.ts`",
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
)
