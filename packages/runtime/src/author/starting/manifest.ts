/** The manifest of a new blueprint, with explanations for its author. */
export const manifestOf = (
  name: string,
  command: string,
) => `# The blueprint: what it is called, how it is started, and what can be seen and set from outside.
# "svc check" says what is wrong with it; "svc pack" makes the bundle that is uploaded.
name: ${name}
version: 0.1.0 # a semantic version; each upload needs a new one
description: Replace me with one line that says what it does.

runtime:
  kind: process # or compose, with files: [compose.yaml]
  command: ${command} # an argument list; no shell reads it
  workdir: .
  restart: always # always | on-failure | never
  stop_seconds: 10 # between asking the agent to end and ending it
health: { start_seconds: 60 } # how long a new version may take until it says how it is

# What the agent says of itself: written by the agent, read and sent on by the runtime.
status: state/status.json
logs: [{ name: work, path: state/work.log }]

# What can be wished for from the page, and here with "svc pause", "svc run-now", "svc set".
controls: [pause, resume, run_now]
settings:
  - { key: every, label: Minutes between runs, type: number, min: 1, max: 1440, default: 10, group: Schedule }

# What survives a new version. Nothing of it is packed, unless .svcignore takes it back.
state: [state]

# What a person types at "svc init"; the agent finds it in its environment.
# secrets: [{ name: MAIL_PASSWORD, purpose: reads the mailbox, optional: false }]
# Products the agent works with; it finds SVC_BINDING_TASKS_URL, _WORKSPACE and _TOKEN in its environment.
# bindings: [{ product: tasks, role: editor, scopes: [tasks.write] }]
`
